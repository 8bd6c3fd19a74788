use std::cell::Cell;
use std::collections::HashMap;
use std::path::PathBuf;

use mindtorch::{call, load, save, Checkpoint, DType, Device, Error, Format, Object, SaveOptions, Tensor};
use mindtorch_tests::{assert_elements, assert_error, error, floats};

/// What ../../torch_checkpoint.py writes with real torch; the tests of it are ignored without one.
fn torch_file() -> Checkpoint {
    let path = std::env::var("MINDTORCH_TORCH_CHECKPOINT")
        .expect("run with MINDTORCH_TORCH_CHECKPOINT, or without --include-ignored");
    Checkpoint::open(path).unwrap()
}

fn temporary(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("mindtorch-rust-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

#[test]
#[ignore = "needs a file of real torch"]
fn a_checkpoint_of_real_torch_is_read() {
    let checkpoint = torch_file();
    assert_eq!(checkpoint.format(), Some(Format::Torch));
    let entries = checkpoint.entries().unwrap();
    let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["model.weight", "model.bias", "half"]);
    assert_eq!(
        (&entries[0].shape[..], entries[0].dtype, entries[0].nbytes),
        (&[2, 3][..], DType::Float32, 24)
    );
    assert_elements(
        &checkpoint.get("model.weight").unwrap(),
        &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
    );
    let half = checkpoint.get("half").unwrap();
    assert_eq!(half.dtype(), DType::BFloat16);
    assert_elements(&half, &[1.5, -2.0]);
    assert_error(
        checkpoint.get("absent"),
        "KeyError",
        "the checkpoint has no tensor named 'absent'",
    );
    assert_eq!(error(checkpoint.at(3)).kind(), "IndexError");
}

#[test]
#[ignore = "needs a file of real torch"]
fn the_object_of_a_checkpoint_has_rust_types() {
    let pairs = match torch_file().object().unwrap() {
        Some(Object::Dict(pairs)) => pairs,
        _ => panic!("the file's object is a dict"),
    };
    let mut object = HashMap::new();
    for (key, value) in pairs {
        match key {
            Object::String(key) => object.insert(key, value),
            _ => panic!("the keys are strings"),
        };
    }
    assert!(matches!(object["epoch"], Object::Int(7)));
    assert!(matches!(object["rate"], Object::Float(rate) if rate == 0.5));
    assert!(matches!(&object["name"], Object::String(name) if name == "network"));
    assert!(matches!(object["none"], Object::None));
    let mut big = vec![0; 12];
    big.push(0xf0); // -(2 ** 100)
    assert!(matches!(&object["big"], Object::BigInt(bytes) if *bytes == big));
    match &object["list"] {
        Object::List(list) => assert!(matches!(list[..], [Object::Bool(true), Object::DType(DType::Float64)])),
        _ => panic!("the list is a list"),
    }
}

#[test]
fn saved_tensors_come_back() {
    for (name, format) in [("a.safetensors", Format::Safetensors), ("a.pt", Format::Torch)] {
        let path = temporary(name);
        let tensors = [
            ("x", floats(&[1.0, 2.0, 3.0, 4.0], &[2, 2])),
            ("n", Tensor::try_from([5i64]).unwrap()),
        ];
        let calls = Cell::new(0);
        let progress = |_, _| {
            calls.set(calls.get() + 1);
            Ok(())
        };
        let metadata: &[_] = if format == Format::Safetensors {
            &[("author", "rust")]
        } else {
            &[]
        };
        let options = SaveOptions {
            format: Some(format),
            metadata,
            progress: Some(&progress),
            ..Default::default()
        };
        save(&path, tensors, options).unwrap();
        assert!(calls.get() > 0, "no progress was reported");
        let loaded = load(&path).unwrap();
        assert_eq!((loaded.len(), loaded["n"].dtype()), (2, DType::Int64));
        assert_elements(&loaded["x"], &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(loaded["x"].shape(), [2, 2]);
        let metadata = Checkpoint::open(&path).unwrap().metadata().unwrap();
        assert_eq!(
            metadata.get("author").map(String::as_str),
            (format == Format::Safetensors).then_some("rust")
        );
    }
}

#[test]
fn an_error_of_the_progress_ends_a_save_and_keeps_the_file() {
    let path = temporary("kept.safetensors");
    save(&path, [("x", floats(&[1.0], &[1]))], SaveOptions::default()).unwrap();
    let stop = |_, _| Err(Error::new("RuntimeError", "stop"));
    let options = SaveOptions {
        progress: Some(&stop),
        ..Default::default()
    };
    assert_error(
        save(&path, [("x", floats(&[2.0], &[1]))], options),
        "RuntimeError",
        "stop",
    );
    assert_elements(&load(&path).unwrap()["x"], &[1.0]);
}

#[test]
fn files_that_are_no_checkpoints_are_errors() {
    let path = temporary("text.pt");
    std::fs::write(&path, "not a checkpoint").unwrap();
    assert_eq!(error(Checkpoint::open(&path)).kind(), "RuntimeError");
    assert_eq!(error(load(temporary("absent.pt"))).kind(), "RuntimeError");
}

#[test]
fn names_with_nul_are_errors() {
    let path = temporary("nul.safetensors");
    let x = floats(&[1.0], &[1]);
    let text = r#"a text must not contain NUL: "a\0one""#;
    let saved = save(&path, [("a\0one", &x), ("a\0two", &x)], SaveOptions::default());
    assert_error(saved, "ValueError", text);
    let options = SaveOptions {
        metadata: &[("author", "a\0one")],
        ..Default::default()
    };
    assert_error(save(&path, [("a", &x)], options), "ValueError", text);
    assert!(!path.exists());
    save(&path, [("a", &x)], SaveOptions::default()).unwrap();
    assert_error(Checkpoint::open(&path).unwrap().get("a\0one"), "ValueError", text);
    assert_error(Device::parse("a\0one"), "ValueError", text);
    assert_error(call("a\0one", "", &[], &[]), "ValueError", text);
    assert_error(
        call("add", "Tensor", &[(&x).into(), (&x).into()], &[("a\0one", 1i64.into())]),
        "ValueError",
        text,
    );
}

/// A file of torch's legacy format without tensors, whose object is what the opcodes of a pickle make.
fn file_of_pickle(name: &str, opcodes: &[u8]) -> Checkpoint {
    let parts: [&[u8]; 5] = [
        b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.", // the magic number 0x1950a86a20f9469cfc6c
        b"\x80\x02M\xe9\x03.",                         // the protocol 1001
        b"\x80\x02}X\r\x00\x00\x00little_endian\x88s.", // {"little_endian": True}
        opcodes,
        b"\x80\x02].", // the keys of the storages
    ];
    let path = temporary(name);
    std::fs::write(&path, parts.concat()).unwrap();
    Checkpoint::open(path).unwrap()
}

/// n lists in one another.
fn nested(n: usize) -> Vec<u8> {
    [&b"\x80\x02"[..], &b"]".repeat(n), &b"a".repeat(n - 1), b"."].concat()
}

/// x0 = [], and each x(k + 1) is [xk, xk].
fn doubled(times: u8) -> Vec<u8> {
    let mut out = [&b"\x80\x02"[..], &b"]".repeat(usize::from(times) + 1)].concat();
    for k in 0..times {
        out.extend([b'q', k, b'a', b'h', k, b'a']);
    }
    out.push(b'.');
    out
}

// The limits are this crate's own.
#[test]
fn nested_containers_have_a_limit() {
    let mut object = file_of_pickle("deep.pt", &nested(500)).object().unwrap().unwrap();
    for _ in 1..500 {
        object = match object {
            Object::List(mut list) if list.len() == 1 => list.remove(0),
            _ => panic!("each list holds one list"),
        };
    }
    assert!(matches!(object, Object::List(list) if list.is_empty()));
    for n in [501, 1_000_000] {
        assert_error(
            file_of_pickle("deeper.pt", &nested(n)).object(),
            "ValueError",
            "the file has more than 500 containers in one another",
        );
    }
}

#[test]
fn copies_of_shared_objects_have_a_limit() {
    match file_of_pickle("shared.pt", &doubled(2)).object().unwrap() {
        Some(Object::List(pair)) => {
            assert_eq!(pair.len(), 2);
            for item in pair {
                assert!(matches!(item, Object::List(list) if list.len() == 2));
            }
        }
        _ => panic!("the object is a list"),
    }
    assert_error(
        file_of_pickle("explosive.pt", &doubled(40)).object(),
        "ValueError",
        "copies of the objects that the file shares need more than 32 MiB",
    );
}
