use mindtorch::{
    call, cat, empty, manual_seed, randn, randn_generator_with, zeros_with, AddOptions, CatOptions, ClampOptions,
    CrossEntropyLossOptions, DType, DivScalarModeOptions, Generator, RandnGeneratorOptions, Scalar, SplitOptions,
    StdCorrectionOptions, Tensor, Value, ZerosOptions,
};
use mindtorch_tests::{assert_elements, assert_error, error, floats};

const RANDN: [f64; 3] = [-0.1467950940132141, 0.7861412763595581, 0.9468216300010681];

#[test]
fn operators_take_options() {
    let x = floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3]);
    // torch.add(x, x, alpha=2)
    let sum = x.add_with(&x, AddOptions { alpha: Some(2.into()) }).unwrap();
    assert_elements(&sum, &[0.0, 3.0, 6.0, 9.0, 12.0, 15.0]);
    // x.clamp(min=1, max=3)
    let clamped = x
        .clamp_with(ClampOptions {
            min: Some(1.into()),
            max: Some(3.0.into()),
        })
        .unwrap();
    assert_elements(&clamped, &[1.0, 1.0, 2.0, 3.0, 3.0, 3.0]);
    // torch.std(x, dim=1, correction=0)
    let options = StdCorrectionOptions {
        dim: Some(&[1]),
        correction: Some(0.into()),
        ..Default::default()
    };
    assert_elements(&x.std_correction_with(options).unwrap(), &[0.8164966106414795; 2]);
    // F.cross_entropy(torch.tensor([[1., 2., 3.]]), torch.tensor([2]), label_smoothing=0.1)
    let (logits, labels) = (floats(&[1.0, 2.0, 3.0], &[1, 3]), Tensor::try_from([2i64]).unwrap());
    let options = CrossEntropyLossOptions {
        label_smoothing: Some(0.1),
        ..Default::default()
    };
    assert_elements(
        &logits.cross_entropy_loss_with(&labels, options).unwrap(),
        &[0.5076059103012085],
    );
    // torch.zeros(2, dtype=torch.float64)
    let zeros = zeros_with(
        &[2],
        ZerosOptions {
            dtype: Some(DType::Float64),
            ..Default::default()
        },
    )
    .unwrap();
    assert_eq!(zeros.dtype(), DType::Float64);
    // torch.div(torch.tensor([7., -7.]), 2, rounding_mode="floor")
    let options = DivScalarModeOptions {
        rounding_mode: Some("floor"),
    };
    assert_elements(
        &floats(&[7.0, -7.0], &[2]).div_scalar_mode_with(2, options).unwrap(),
        &[3.0, -4.0],
    );
}

#[test]
fn operators_return_several_results_and_lists() {
    let x = floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3]);
    let (values, indices) = x.max_dim(1).unwrap();
    assert_elements(&values, &[2.0, 5.0]);
    assert_elements(&indices, &[2.0, 2.0]);
    let parts = x.split_with(2, SplitOptions { dim: Some(1) }).unwrap();
    assert_eq!(parts.len(), 2);
    assert_elements(&parts[1], &[2.0, 5.0]);
    let options = CatOptions { dim: Some(1) };
    assert_elements(
        &mindtorch::cat_with(&parts, options).unwrap(),
        &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
    );
    assert_elements(&cat(&[&values, &values]).unwrap(), &[2.0, 5.0, 2.0, 5.0]);
    assert!(x.equal(&x).unwrap());
}

#[test]
fn in_place_and_out_write() {
    let x = floats(&[1.0, 2.0], &[2]);
    x.mul_scalar_(3).unwrap().add_scalar_(1).unwrap();
    assert_elements(&x, &[4.0, 7.0]);
    let out = empty(&[2]).unwrap();
    x.add_out(&x, &out).unwrap();
    assert_elements(&out, &[8.0, 14.0]);
}

// x[:, torch.tensor([2, 0])]
#[test]
fn indexing_takes_optional_tensors() {
    let x = floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[2, 3]);
    let columns = Tensor::try_from([2i64, 0]).unwrap();
    assert_elements(&x.index(&[None, Some(&columns)]).unwrap(), &[2.0, 0.0, 5.0, 3.0]);
}

#[test]
fn operators_by_name() {
    let x = floats(&[1.0, 2.0], &[2]);
    let sum = call("add", "Tensor", &[(&x).into(), (&x).into()], &[("alpha", 2.into())]).unwrap();
    assert_elements(sum[0].tensor().unwrap(), &[3.0, 6.0]);
    let clamped = call("clamp", "", &[(&x).into(), Value::None, 1.into()], &[]).unwrap();
    assert_elements(clamped[0].tensor().unwrap(), &[1.0, 1.0]);
    let joined = call("cat", "", &[vec![x.clone(), x.clone()].into()], &[]).unwrap();
    assert_elements(joined[0].tensor().unwrap(), &[1.0, 2.0, 1.0, 2.0]);
    let same = call("equal", "", &[(&x).into(), (&x).into()], &[]).unwrap();
    assert!(matches!(same[0], Value::Scalar(Scalar::Bool(true))));
    let text = "zeros() got an unexpected keyword argument 'dtyp'";
    assert_error(
        call("zeros", "", &[[2i64].into()], &[("dtyp", DType::Float64.into())]),
        "TypeError",
        text,
    );
    error(call("no_such_operator", "", &[], &[]));
    error(call("neg", "", &[(&x).into(), (&x).into()], &[]));
}

// torch.manual_seed(7); torch.randn(3). One test, because the default generator is the process's.
#[test]
fn random_numbers_are_torchs() {
    manual_seed(7).unwrap();
    assert_elements(&randn(&[3]).unwrap(), &RANDN);
    let generator = Generator::new(mindtorch::Device::CPU).unwrap();
    generator.seed(7).unwrap();
    let options = RandnGeneratorOptions {
        generator: Some(&generator),
        ..Default::default()
    };
    assert_elements(&randn_generator_with(&[3], options).unwrap(), &RANDN);
}
