//! Columns of texts that are not marked as strings, or hold none.

use super::*;
use arrow_array::{BinaryViewArray, LargeBinaryArray, NullArray};

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    save(path, &batch(columns), &SMALL);
}

#[test]
fn bytes_are_read_as_utf8_and_what_is_none_is_a_bad_record() {
    let (_folder, path, output) = folder();
    let rows: Vec<Option<&[u8]>> = vec![
        Some("füü bar".as_bytes()),
        Some(b"a\xFFb"),
        None,
        Some(b"end"),
    ];
    let layouts: Vec<ArrayRef> = vec![
        Arc::new(BinaryArray::from(rows.clone())),
        Arc::new(LargeBinaryArray::from(rows.clone())),
        Arc::new(BinaryViewArray::from(rows.clone())),
    ];
    for texts in layouts {
        let ids: ArrayRef = Arc::new(BinaryArray::from_iter_values([b"k1", b"k2", b"k3", b"k4"]));
        write(&path, vec![("id", ids), ("text", texts)]);
        let options = ReadOptions {
            needs: crate::options::Needs {
                fields: vec!["id".into()],
                ..crate::options::Needs::default()
            },
            ..ReadOptions::default()
        };
        let found = read(&path, &options);
        let texts: Vec<&str> = found.records.iter().map(|r| found.text_of(r)).collect();
        assert_eq!(texts, ["füü bar", "end"]);
        assert_eq!(found.ids, "k1k4");
        assert_eq!(found.fields, [Some("k1".into()), Some("k4".into())]);
        let bad: Vec<_> = found
            .bad
            .iter()
            .map(|b| (b.number, b.error.message()))
            .collect();
        assert_eq!(bad[0].0, 2);
        assert!(
            bad[0]
                .1
                .contains("found bytes that are not UTF-8 (from byte 2)"),
            "{bad:?}"
        );
        assert_eq!(
            found.bad[0].raw,
            b"{\"text\":\"Yf9i\",\"id\":\"azI=\",\"id\":\"azI=\"}\n"
        );
        assert!(bad[1].0 == 3 && bad[1].1.contains("found null"), "{bad:?}");
        let cut = |number: u64| match number {
            1 => Edit::Cut(std::iter::once(0..6).collect()),
            _ => Edit::Keep,
        };
        rewrite(&path, &options, &output, plan(&style("")), &cut).unwrap();
        let again = read(&output, &options);
        let texts: Vec<&str> = again.records.iter().map(|r| again.text_of(r)).collect();
        assert_eq!(texts, ["bar", "end"]);
        assert_eq!(load(&output).schema(), load(&path).schema());
        // In other formats they are strings as well.
        let mut first = None;
        let conversions = for_each_row(&path, &mut |number, fields| {
            if number == 1 {
                first = Some(format!("{fields:?}"));
            }
        })
        .unwrap();
        let first = first.unwrap();
        assert!(first.contains("füü bar") && first.contains("k1"), "{first}");
        assert!(
            conversions[0].to.contains("where it is not UTF-8"),
            "{conversions:?}"
        );
    }
}

#[test]
fn bytes_beside_strings_stay_bytes() {
    let (_folder, path, _) = folder();
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let raw: ArrayRef = Arc::new(BinaryArray::from_iter_values([b"abc"]));
    write(&path, vec![("text", texts), ("raw", raw)]);
    let mut seen = String::new();
    for_each_row(&path, &mut |_, fields| {
        seen = format!("{fields:?}");
    })
    .unwrap();
    assert!(seen.contains("YWJj"), "{seen}");
}

#[test]
fn a_column_without_any_value_has_no_wrong_type() {
    let (_folder, path, output) = folder();
    let ids = || Arc::new(Int64Array::from_iter_values(0..3)) as ArrayRef;
    let columns: Vec<ArrayRef> = vec![
        Arc::new(NullArray::new(3)),
        Arc::new(Float64Array::from(vec![None, None, None])),
        Arc::new(StringArray::from(vec![None::<&str>, None, None])),
        Arc::new(BinaryArray::from(vec![None, None, None])),
    ];
    for texts in columns {
        write(&path, vec![("id", ids()), ("text", texts)]);
        let found = read(&path, &ReadOptions::default());
        assert_eq!((found.records.len(), found.bad.len()), (0, 3));
        for (bad, number) in found.bad.iter().zip(1..) {
            assert_eq!(bad.number, number);
            assert!(
                bad.error
                    .message()
                    .ends_with("in the column \"text\", found null")
            );
        }
        rewrite(
            &path,
            &ReadOptions::default(),
            &output,
            plan(&style("")),
            &|_| Edit::Keep,
        )
        .unwrap();
        assert_eq!(load(&output).num_rows(), 0);
        assert_eq!(load(&output).schema(), load(&path).schema());
    }
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![None, Some(0.5), None]));
    write(&path, vec![("id", ids()), ("text", numbers)]);
    let error = chunks(0, &path, &ReadOptions::default()).err().unwrap();
    assert!(
        error.message().contains("found the type Float64"),
        "{error}"
    );
}
