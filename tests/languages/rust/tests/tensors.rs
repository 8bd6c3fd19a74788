use std::fmt::Debug;

use mindtorch::{arange, zeros, Complex, DType, Device, Element, SliceOptions, SumDimIntListOptions, Tensor};
use mindtorch_tests::{assert_elements, assert_error, error, floats};

fn round_trip<T: Element + PartialEq + Debug>(dtype: DType, elements: &[T]) {
    let x = Tensor::try_from(elements).unwrap();
    assert_eq!(x.dtype(), dtype);
    assert_eq!(Vec::<T>::try_from(&x).unwrap(), elements);
}

#[test]
fn slices_of_every_type_come_back() {
    round_trip(DType::Bool, &[true, false, true]);
    round_trip(DType::Uint8, &[0u8, 255]);
    round_trip(DType::Int8, &[i8::MIN, i8::MAX]);
    round_trip(DType::Int16, &[i16::MIN, i16::MAX]);
    round_trip(DType::Int32, &[i32::MIN, i32::MAX]);
    round_trip(DType::Int64, &[i64::MIN, i64::MAX]);
    round_trip(DType::Uint16, &[0u16, u16::MAX]);
    round_trip(DType::Uint32, &[0u32, u32::MAX]);
    round_trip(DType::Uint64, &[0u64, u64::MAX]);
    round_trip(DType::Float32, &[-1.5f32, f32::MAX]);
    round_trip(DType::Float64, &[-1.5f64, f64::MIN_POSITIVE]);
    round_trip(DType::Complex64, &[Complex { re: 1f32, im: 2.0 }]);
    round_trip(DType::Complex128, &[Complex { re: 1f64, im: -2.0 }]);
}

// torch.tensor([1.5, 2.25, -0.1]).bfloat16().view(torch.int16), and half().
#[test]
fn half_types_are_bits() {
    let brain = Tensor::from_raw(&[16320u16, 16400, 0xbdcd], DType::BFloat16, &[3]).unwrap();
    assert_elements(&brain, &[1.5, 2.25, -0.10009765625]);
    let half = floats(&[1.5, 2.25, -0.1], &[3]).to_dtype(DType::Float16).unwrap();
    assert_eq!(half.to_vec::<u16>().unwrap(), [15872, 16512, 0xae66]);
    let sum = &brain + &brain;
    assert_eq!(sum.dtype(), DType::BFloat16);
    assert_elements(&sum, &[3.0, 4.5, -0.2001953125]);
}

// torch.tensor([0, 1, 2, 255], dtype=torch.uint8).view(torch.bool).tolist()
#[test]
fn any_byte_but_0_is_a_true_bool() {
    let x = Tensor::from_raw(&[0u8, 1, 2, 255], DType::Bool, &[4]).unwrap();
    let mut list = [true; 4];
    x.copy_to_slice(&mut list).unwrap();
    for bools in [&x.to_vec::<bool>().unwrap()[..], &list] {
        let bytes: Vec<u8> = bools.iter().map(|&on| on as u8).collect();
        assert_eq!(bytes, [0, 1, 1, 1]);
    }
}

#[test]
fn tensors_without_dimensions_and_without_elements() {
    let number = Tensor::from_scalar(2.5f64).unwrap();
    assert_eq!(number.shape(), []);
    assert_eq!(number.item::<f64>().unwrap(), 2.5);
    let empty = Tensor::from_slice::<f32>(&[], &[0, 3]).unwrap();
    assert_eq!((empty.shape(), empty.numel()), (vec![0, 3], 0));
    assert_eq!(empty.to_vec::<f32>().unwrap(), []);
    let options = SumDimIntListOptions {
        dim: Some(&[0]),
        ..Default::default()
    };
    assert_elements(&empty.sum_dim_int_list_with(options).unwrap(), &[0.0; 3]);
    assert_error(
        empty.item::<f32>(),
        "RuntimeError",
        "a Tensor with 0 elements cannot be converted to Scalar",
    );
}

// x = torch.arange(6.).reshape(2, 3); x.t()[1:]
#[test]
fn views_have_strides_and_are_read_in_order() {
    let x = floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3]);
    let view = x
        .t()
        .unwrap()
        .slice_with(SliceOptions {
            start: Some(1),
            ..Default::default()
        })
        .unwrap();
    assert_eq!(
        (view.shape(), view.strides(), view.storage_offset()),
        (vec![2, 2], vec![1, 3], 1)
    );
    assert!(!view.is_contiguous());
    assert_elements(&view, &[1.0, 4.0, 2.0, 5.0]);
    drop(x);
    assert_elements(&view, &[1.0, 4.0, 2.0, 5.0]);
}

#[test]
fn conjugated_views_are_read_resolved() {
    let x = Tensor::try_from([Complex { re: 1f32, im: 2.0 }]).unwrap();
    assert_eq!(
        x.conj().unwrap().to_vec::<Complex<f32>>().unwrap(),
        [Complex { re: 1.0, im: -2.0 }]
    );
}

#[test]
fn clones_share_elements_and_deep_clones_do_not() {
    let x = floats(&[1.0, 2.0], &[2]);
    let (shared, copied) = (x.clone(), x.deep_clone().unwrap());
    x.mul_scalar_(10).unwrap();
    assert_elements(&shared, &[10.0, 20.0]);
    assert_elements(&copied, &[1.0, 2.0]);
}

#[test]
fn copies_check_types_and_lengths() {
    let x = floats(&[1.0, 2.0, 3.0], &[3]);
    let mut list = [0f32; 3];
    x.copy_to_slice(&mut list).unwrap();
    assert_eq!(list, [1.0, 2.0, 3.0]);
    assert_error(
        x.copy_to_slice(&mut list[1..]),
        "ValueError",
        "the tensor has 3 elements, and the slice 2",
    );
    assert_error(x.to_vec::<f64>(), "TypeError", "the elements are float32, not float64");
    let text = "bfloat16 has elements of 2 bytes, not of 1";
    assert_error(Tensor::from_raw(&[1u8, 2], DType::BFloat16, &[2]), "TypeError", text);
}

#[test]
fn shapes_must_fit_the_elements() {
    let text = "the shape [2, 2] does not fit 3 elements";
    assert_error(Tensor::from_slice(&[1, 2, 3], &[2, 2]), "RuntimeError", text);
    error(Tensor::from_slice(&[1, 2], &[-1, -2]));
    error(Tensor::from_slice::<f32>(&[], &[i64::MAX, i64::MAX]));
}

// The formats are this crate's own.
#[test]
fn printing_shows_elements_shape_and_dtype() {
    let x = floats(&[1.0, 2.0, 3.0, 4.5], &[2, 2]);
    assert_eq!(
        x.to_string(),
        "tensor([[1.0, 2.0],\n        [3.0, 4.5]], shape=[2, 2], dtype=float32)"
    );
    assert_eq!(
        format!("{:?}", Tensor::from_scalar(true).unwrap()),
        "tensor(true, shape=[], dtype=bool)"
    );
    assert_eq!(
        Tensor::try_from([i64::MAX]).unwrap().to_string(),
        "tensor([9223372036854775807], shape=[1], dtype=int64)"
    );
    assert_eq!(
        arange(2000).unwrap().to_string(),
        "tensor([0, 1, 2, ..., 1997, 1998, 1999], shape=[2000], dtype=int64)"
    );
    assert_eq!(zeros(&[0]).unwrap().to_string(), "tensor([], shape=[0], dtype=float32)");
}

#[test]
fn errors_have_torchs_texts() {
    let x = floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3]);
    let text = "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1";
    assert_error(x.add(&floats(&[1.0, 1.0], &[2])), "RuntimeError", text);
    let text = "Dimension out of range (expected to be in range of [-3, 2], but got 7)";
    assert_error(x.unsqueeze(7), "IndexError", text);
    assert_error(
        x.mm(&x),
        "RuntimeError",
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    );
    assert_error(
        x.view(&[4]),
        "RuntimeError",
        "shape '[4]' is invalid for input of size 6",
    );
    let failure = error(Device::parse("nonsense"));
    assert_eq!(failure.kind(), "RuntimeError");
    assert!(
        failure
            .message()
            .ends_with("device type at start of device string: nonsense"),
        "{failure}"
    );
}

#[test]
#[should_panic(expected = "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0")]
fn arithmetic_panics_with_torchs_text() {
    let _ = &floats(&[1.0, 2.0], &[2]) + &floats(&[1.0, 2.0, 3.0], &[3]);
}

#[test]
fn arithmetic_takes_tensors_and_numbers() {
    let x = floats(&[1.0, 2.0], &[2]);
    assert_elements(&(&(&x * 3) - &x), &[2.0, 4.0]);
    assert_elements(&(-&(&x / 2.0)), &[-0.5, -1.0]);
    assert_elements(&(&x + 1i64), &[2.0, 3.0]);
}
