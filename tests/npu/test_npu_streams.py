"""Streams and events: their order, synchronisation and properties."""

import re
import threading

import pytest


def test_the_default_stream_is_current_until_another_is_set(mt):
    assert mt.npu.current_stream() == mt.npu.default_stream() == mt.npu.current_stream("npu:0")
    stream = mt.npu.Stream()
    mt.npu.set_stream(stream)
    assert mt.npu.current_stream() == stream != mt.npu.default_stream()
    mt.npu.set_stream(None)
    assert mt.npu.current_stream() == stream


def test_stream_contexts_nest_and_restore(mt):
    first, second = mt.npu.Stream(), mt.npu.Stream()
    with mt.npu.stream(first):
        with mt.npu.stream(second), mt.npu.stream(None):
            assert mt.npu.current_stream() == second
        assert mt.npu.current_stream() == first
    assert mt.npu.current_stream() == mt.npu.default_stream()


def test_a_stream_of_another_device_makes_that_device_current(mt):
    there = mt.npu.Stream("npu:1")
    before = mt.npu.current_stream("npu:1")
    with mt.npu.stream(there):
        assert mt.npu.current_device() == 1 and mt.npu.current_stream() == there
        assert mt.zeros(1, device="npu").device == mt.device("npu:1")
    assert mt.npu.current_device() == 0 and mt.npu.current_stream("npu:1") == before


def test_streams_describe_themselves(mt):
    stream = mt.npu.Stream(priority=-1)
    assert isinstance(stream, mt.Stream) and stream.device == mt.device("npu:0") and stream.device_type == 20
    assert re.fullmatch(r"<torch\.npu\.Stream device=npu:0 npu_stream=0x[0-9a-f]+>", repr(stream))
    assert stream.priority == -1 and mt.npu.Stream.priority_range() == (0, -1)
    assert stream._as_parameter_.value == stream.npu_stream == stream.native_handle != 0
    same = mt.npu.Stream(stream_id=stream.stream_id, device_index=0, device_type=20)
    assert same == stream and hash(same) == hash(stream) and stream != 3


def test_streams_of_the_pool_are_handed_out_again(mt):
    streams = [mt.npu.Stream() for _ in range(64)]
    assert len(set(streams)) == 32 and mt.npu.default_stream() not in streams


def test_the_current_stream_belongs_to_a_thread(mt):
    seen = []
    with mt.npu.stream(mt.npu.Stream()):
        thread = threading.Thread(target=lambda: seen.append(mt.npu.current_stream()))
        thread.start()
        thread.join()
    assert seen == [mt.npu.default_stream()]


def test_work_of_one_stream_waits_for_anothers(mt):
    mt._C._npu_simulatorFaults("delay:2000")
    producer, consumer = mt.npu.Stream(), mt.npu.Stream()
    x = mt.zeros(1000, device="npu")
    producer.wait_stream(mt.npu.current_stream())
    with mt.npu.stream(producer):
        for _ in range(5):
            x = x + 1
    assert not producer.query()
    consumer.wait_stream(producer)
    with mt.npu.stream(consumer):
        y = x * 2
        x.record_stream(consumer)
    consumer.synchronize()
    assert producer.query() and consumer.query()
    assert y.tolist() == [10.0] * 1000


def test_events_mark_a_place_in_a_stream(mt):
    mt._C._npu_simulatorFaults("delay:2000")
    event = mt.npu.Event()
    assert event.query() and repr(event) == "<torch.npu.Event uninitialized>"
    mt.zeros(8, device="npu").add_(1)
    event.record()
    assert not event.query()
    event.synchronize()
    assert event.query() and re.fullmatch(r"<torch\.npu\.Event 0x[0-9a-f]+>", repr(event))
    event.wait(mt.npu.Stream())


def test_events_measure_milliseconds(mt):
    start, end = mt.npu.Event(enable_timing=True), mt.npu.Event(enable_timing=True)
    mt._C._npu_simulatorFaults("delay:5000")
    x = mt.zeros(8, device="npu")
    start.record()
    x.add_(1)
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 5.0


def test_events_that_cannot_be_timed_say_why(mt):
    timed = mt.npu.Event(enable_timing=True)
    with pytest.raises(ValueError, match="Both events must be created with argument 'enable_timing=True'."):
        timed.elapsed_time(mt.npu.Event())
    with pytest.raises(ValueError, match="Both events must be recorded before calculating elapsed time."):
        timed.elapsed_time(mt.npu.Event(enable_timing=True))


def test_events_cannot_leave_their_process(mt):
    with pytest.raises(NotImplementedError, match="interprocess=True is not supported"):
        mt.npu.Event(interprocess=True)
    with pytest.raises(NotImplementedError, match="torch.Event ipc is not supported yet"):
        mt.npu.Event().ipc_handle()
    with pytest.raises(NotImplementedError, match="torch.Event ipc is not supported yet"):
        mt.npu.Event.from_ipc_handle(0, b"")


def test_generic_streams_and_events_are_the_accelerators(mt):
    stream = mt.Stream()
    assert stream.device == mt.device("npu:0")
    assert re.fullmatch(r"torch.Stream device_type=npu, device_index=0, stream_id=\d+", repr(stream))
    with stream:
        assert mt.accelerator.current_stream() == stream and mt.npu.current_stream().stream_id == stream.stream_id
        start = stream.record_event()
    assert mt.accelerator.current_stream().stream_id == 0
    assert isinstance(start, mt.Event) and start.device == mt.device("npu:0")
    mt.Stream("npu:1").wait_event(start)
    stream.wait_stream(mt.npu.default_stream())
    stream.synchronize()
    assert stream.query() and start.query()
    assert mt.Stream("cpu").device_type == 0


def test_an_external_stream_is_used_by_its_handle(mt):
    stream = mt.npu.Stream()
    external = mt.npu.ExternalStream(stream.npu_stream)
    assert external.npu_stream == stream.npu_stream
    assert mt.npu.get_stream_from_external(stream.npu_stream) == external


def test_loop_over_streams_computes_the_right_sum(mt):
    streams = [mt.npu.Stream() for _ in range(4)]
    x = mt.arange(64, dtype=mt.float32).npu()
    parts = []
    for index, stream in enumerate(streams):
        stream.wait_stream(mt.npu.default_stream())
        with mt.npu.stream(stream):
            parts.append(x[index * 16 : index * 16 + 16].sum())
    for stream, part in zip(streams, parts, strict=True):
        mt.npu.default_stream().wait_stream(stream)
        part.record_stream(mt.npu.default_stream())
    assert mt.stack(parts).sum().item() == 2016.0
    assert mt._C._npu_simulatorRace() == ""
