//! Marks as columns.

use super::*;

#[test]
fn marks_are_columns_behind_the_others() {
    let (_folder, path, output) = folder();
    save(&path, &rich(2_500), &SMALL);
    rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plan(&style("x_")),
        &marks,
    )
    .unwrap();
    let found = load(&output);
    let names: Vec<String> = found
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    assert_eq!(
        names[8..],
        [
            "x_duplicate_of",
            "x_duplicate_score",
            "x_cluster_id",
            "x_duplicate_spans"
        ]
    );
    // The third row's text is null, so it is omitted.
    assert_eq!(found.num_rows(), 2_499);
    let of = found.column(8).as_string::<i32>();
    assert_eq!((of.value(0), of.null_count()), ("w", 2_498));
    assert!((found.column(9).as_primitive::<Float64Type>().value(0) - 0.5).abs() < 1e-12);
    assert_eq!(found.column(10).null_count(), 2_497);
    let spans = found.column(11).as_list::<i32>();
    assert_eq!(
        (spans.is_null(0), spans.is_valid(1), spans.value(1).len()),
        (true, true, 0)
    );
    assert_eq!(spans.null_count(), 2_497);
    let row = spans.value(2);
    let row = row.as_struct();
    let numbers = |name: &str| {
        row.column_by_name(name)
            .unwrap()
            .as_primitive::<Int64Type>()
            .values()
            .to_vec()
    };
    assert_eq!((numbers("start"), numbers("end")), (vec![1, 3], vec![2, 6]));
    let of = row
        .column_by_name("duplicate_of")
        .unwrap()
        .as_string::<i32>();
    assert_eq!((of.value(0), of.is_null(1)), ("s", true));
    // The file's own columns are preserved, including Arrow types.
    assert_eq!(found.column(5).data_type(), rich(1).column(5).data_type());
    assert_eq!(found.column(4).data_type(), rich(1).column(4).data_type());
}

#[test]
fn marks_that_clash_are_refused_with_the_cure() {
    let (_folder, path, output) = folder();
    save(&path, &rich(10), &SMALL);
    let marked = folder().1;
    std::fs::create_dir_all(marked.parent().unwrap()).unwrap();
    rewrite(
        &path,
        &ReadOptions::default(),
        &marked,
        plan(&style("")),
        &marks,
    )
    .unwrap();
    let error = rewrite(
        &marked,
        &ReadOptions::default(),
        &output,
        plan(&style("")),
        &marks,
    )
    .unwrap_err();
    assert!(error.to_string().contains("duplicate_of"));
    assert!(error.advice().unwrap().contains("mark_prefix"));
    rewrite(
        &marked,
        &ReadOptions::default(),
        &output,
        plan(&style("again_")),
        &marks,
    )
    .unwrap();
    let style = style("");
    let plan = Plan {
        marks: true,
        limit: Some(5),
        ..plan(&style)
    };
    rewrite(&path, &ReadOptions::default(), &output, plan, &|_| {
        Edit::Keep
    })
    .unwrap();
    // Five rows, the third of them bad.
    assert_eq!(load(&output).num_rows(), 4);
    assert_eq!(load(&output).num_columns(), 11);
    std::fs::remove_dir_all(marked.parent().unwrap()).unwrap();
}
