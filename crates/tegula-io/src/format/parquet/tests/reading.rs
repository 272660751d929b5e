//! What is read: every layout of strings, ids and fields, missing columns, long texts.

use super::*;

#[test]
fn rows_come_in_order_with_id_and_fields() {
    let (_folder, path, _) = folder();
    let options = ReadOptions {
        needs: crate::options::Needs {
            fields: ["kind", "/meta/body", "seen", "tags", "nowhere"]
                .map(String::from)
                .into(),
            ..crate::options::Needs::default()
        },
        ..ReadOptions::default()
    };
    // Small groups, one group with an index, one group that must be decoded from its beginning.
    for (group_rows, index) in [(1_000, true), (100_000, true), (100_000, false)] {
        save(
            &path,
            &rich(20_500),
            &Layout {
                group_rows,
                index,
                metadata: Vec::new(),
            },
        );
        let read = read(&path, &options);
        assert_eq!(read.records.len(), 20_499);
        assert_eq!(read.bad.len(), 1);
        assert_eq!((read.bad[0].number, read.bad[0].bytes.clone()), (3, 2..3));
        assert!(
            read.bad[0]
                .error
                .to_string()
                .ends_with("expected a string in the column \"text\", found null")
        );
        assert!(
            String::from_utf8_lossy(&read.bad[0].raw)
                .starts_with("{\"text\":null,\"id\":2,\"kind\":\"x\"")
        );
        let mut number = 0;
        for record in &read.records {
            number += if number == 2 { 2 } else { 1 };
            assert_eq!(record.number, number);
            assert_eq!(record.bytes, number - 1..number);
            assert_eq!(read.text_of(record), format!("täxt {}", number - 1));
            assert_eq!(read.id_of(record), Some((number - 1).to_string().as_str()));
        }
        let last = read.fields_of(&read.records[18]);
        let expected = [Some("x".to_owned()), Some("b19".into()), None, None, None];
        assert_eq!(last.len(), 5);
        assert!(
            last[0].is_some() && last[2].as_deref() == Some("1970-01-01T00:00:00.000019Z"),
            "{last:?}"
        );
        assert_eq!(last[1], expected[1]);
        assert_eq!(last[3].as_deref(), Some("[0,null,2]"));
        assert_eq!(last[4], None);
        let total: u64 = chunks(0, &path, &options)
            .unwrap()
            .map(|chunk| chunk.unwrap().disk_bytes())
            .sum();
        assert_eq!(total, std::fs::metadata(&path).unwrap().len());
        let facts = check(&path, &options).unwrap();
        assert_eq!((facts.rows, facts.columns.len()), (20_500, 8));
        assert_eq!(facts.row_groups, 20_500usize.div_ceil(group_rows));
        assert!(facts.text_bytes > 100_000);
    }
}

#[test]
fn text_may_have_any_layout_and_stand_in_a_struct() {
    let (_folder, path, _) = folder();
    let rows = vec![
        Some("eins"),
        Some("zwei, und das ist länger als zwölf Bytes"),
        None,
    ];
    let dictionary: DictionaryArray<Int32Type> = rows.iter().copied().collect();
    let layouts: Vec<ArrayRef> = vec![
        Arc::new(LargeStringArray::from(rows.clone())),
        Arc::new(StringViewArray::from(rows.clone())),
        Arc::new(dictionary),
    ];
    for layout in layouts {
        save(&path, &batch(vec![("text", Arc::clone(&layout))]), &SMALL);
        let found = read(&path, &ReadOptions::default());
        assert_eq!(found.text, "einszwei, und das ist länger als zwölf Bytes");
        assert_eq!((found.records[0].id.clone(), found.bad.len()), (None, 1));

        let field = Arc::new(Field::new("b/c", layout.data_type().clone(), true));
        let nested = StructArray::new(
            vec![field].into(),
            vec![layout],
            Some(vec![false, true, true].into()),
        );
        save(
            &path,
            &batch(vec![("a", Arc::new(nested) as ArrayRef)]),
            &SMALL,
        );
        let options = ReadOptions {
            text_key: vec!["/a/b~1c".into()],
            ..ReadOptions::default()
        };
        let found = read(&path, &options);
        assert_eq!(found.text, "zwei, und das ist länger als zwölf Bytes");
        assert_eq!(found.bad.len(), 2);
    }
}

#[test]
fn several_text_columns_are_joined_by_a_blank_line() {
    let (_folder, path, output) = folder();
    let title: ArrayRef = Arc::new(StringArray::from(vec!["Tä", "U"]));
    let body: ArrayRef = Arc::new(StringArray::from(vec!["bödy", "v"]));
    save(
        &path,
        &batch(vec![("title", title), ("body", body)]),
        &SMALL,
    );
    let options = ReadOptions {
        text_key: vec!["title".into(), "body".into()],
        ..ReadOptions::default()
    };
    assert_eq!(read(&path, &options).text, "Tä\n\nbödyU\n\nv");
    // The first letter, then from the last of the title into the body.
    let cut = |number| {
        if number == 1 {
            Edit::Cut(vec![0..1, 3..6])
        } else {
            Edit::Keep
        }
    };
    rewrite(&path, &options, &output, plan(&style("")), &cut).unwrap();
    assert_eq!(read(&output, &options).text, "ä\n\nödyU\n\nv");
}

#[test]
fn a_missing_or_other_column_is_named_before_anything_is_read() {
    let (_folder, path, _) = folder();
    save(&path, &rich(3), &SMALL);
    let with = |key: &str| ReadOptions {
        text_key: vec![key.into()],
        ..ReadOptions::default()
    };
    let error = chunks(0, &path, &with("content")).err().unwrap();
    assert!(
        error
            .to_string()
            .contains("\"content\", found the columns id, text, tags, meta"),
        "{error}"
    );
    assert!(error.advice().unwrap().contains("text_key"));
    assert!(chunks(0, &path, &with("tags")).is_err());
    assert!(chunks(0, &path, &with("/tags/list")).is_err());
    assert!(check(&path, &with("weight")).is_err());
    let options = ReadOptions {
        id_key: Some("key".into()),
        ..ReadOptions::default()
    };
    assert!(
        chunks(0, &path, &options)
            .err()
            .unwrap()
            .advice()
            .unwrap()
            .contains("id_key")
    );
    let error = chunks(0, Path::new("no such.parquet"), &with("text"))
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
}

#[test]
fn an_empty_file_has_no_rows_and_comes_back_empty() {
    let (_folder, path, output) = folder();
    save(&path, &rich(0), &SMALL);
    assert!(read(&path, &ReadOptions::default()).records.is_empty());
    rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plan(&style("")),
        &|_| Edit::Keep,
    )
    .unwrap();
    assert_eq!(load(&output), load(&path));
}

#[test]
fn a_text_of_many_megabytes_comes_through() {
    let (_folder, path, output) = folder();
    let big = "ä".repeat(9 << 20);
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", &big, "b", &big]));
    save(&path, &batch(vec![("text", texts)]), &SMALL);
    rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plan(&style("")),
        &|number| if number == 2 { Edit::Drop } else { Edit::Keep },
    )
    .unwrap();
    let found = read(&output, &ReadOptions::default());
    assert_eq!(found.records.len(), 3);
    assert_eq!(found.text_of(&found.records[2]), big);
}

#[test]
fn rows_are_shown_with_all_their_fields() {
    use crate::convert::FieldValue;
    let (_folder, path, _) = folder();
    save(&path, &rich(4), &SMALL);
    let mut last = String::new();
    let conversions = for_each_row(&path, &mut |number, fields| {
        last = format!("{number}:");
        for (name, value) in fields {
            let shown = match value {
                FieldValue::Null => format!("{name}=null;"),
                FieldValue::Text(text) => format!("{name}='{text}';"),
                FieldValue::Json(json) => format!("{name}={json};"),
            };
            last.push_str(&shown);
        }
    })
    .unwrap();
    assert_eq!(
        last,
        "4:id=3;text='täxt 3';tags=[0,null,2];meta={\"body\":\"b3\"};kind='y';\
         seen='1970-01-01T00:00:00.000003Z';raw='A/8=';weight=null;"
    );
    let columns: Vec<&str> = conversions
        .iter()
        .map(|conversion| conversion.column.as_str())
        .collect();
    assert_eq!(columns, ["seen", "raw"]);
}
