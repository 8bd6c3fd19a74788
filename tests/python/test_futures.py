"""torch.futures, fork and wait: values and errors match real torch."""

import pickle
import threading

import pytest
from outcomes import normalise, result

PRELUDE = """
def completed_future(value):
    future = torch.futures.Future()
    future.set_result(value)
    return future

def failed_future(error):
    future = torch.futures.Future()
    future.set_exception(error)
    return future
"""

CALLS = """
completed_future(3).done()
completed_future(3).wait()
completed_future(3).value()
completed_future(3).set_result(4)
completed_future(3).set_exception(ValueError("x"))
failed_future(ValueError("bad")).done()
failed_future(ValueError("bad")).wait()
failed_future(ValueError("bad")).value()
failed_future(ValueError("bad")).set_result(1)
failed_future(3)
torch.futures.Future().done()
torch.futures.Future().value()
torch.futures.Future(3)
torch.futures.Future(devices=[]).done()
torch.futures.Future(devices=["cpu"])
torch.futures.Future(devices=["cuda:0"])
torch.futures.Future(devices=["cpu:0", "cuda:0"])
torch.futures.Future(devices=3)
torch.futures.Future[int]
torch.Future([torch.device("cpu", 0)]).done()
torch.Future([torch.device("cpu")])
completed_future(3).then(lambda future: future.value() + 1).wait()
completed_future(3).then(lambda future: torch.futures.Future()).wait().done()
failed_future(KeyError("k")).then(lambda future: 1).wait()
completed_future(3).then()
completed_future(3).add_done_callback()
type(completed_future(3).then(lambda future: 1))
torch.futures.collect_all([]).wait()
[future.wait() for future in torch.futures.collect_all([completed_future(1), completed_future(2)]).wait()]
torch.futures.collect_all([failed_future(ValueError("bad")), completed_future(1)]).done()
torch.futures.collect_all([failed_future(ValueError("bad")), completed_future(1)]).wait()
torch.futures.collect_all([torch.futures.Future(), completed_future(1)]).done()
torch.futures.collect_all([3])
torch.futures.collect_all(3)
torch.futures.wait_all([])
torch.futures.wait_all([completed_future(1), completed_future(2)])
torch.futures.wait_all([completed_future(1), failed_future(ValueError("bad"))])
torch.fork(lambda x, y=0: x + y, 2, y=3).wait()
torch.fork(lambda: 1 / 0)
torch.fork()
torch.fork(3)
torch.wait(torch.fork(lambda: 5))
torch.wait(completed_future(5))
torch.wait(3)
torch.wait()
torch.jit.wait(torch.jit.fork(lambda x: x + 1, 2))
torch.jit.wait(3)
torch.jit.Future is torch.futures.Future
issubclass(torch.futures.Future, torch.Future)
torch.Future, torch.futures.Future
""".strip().split("\n")


@pytest.mark.parametrize("call", CALLS)
def test_the_outcome_is_torchs(call, mt, oracle):
    def eval_call(torch):
        names = {"torch": torch}
        exec(PRELUDE, names)
        return eval(call, names)

    assert result(eval_call, mt) == result(eval_call, oracle)


@pytest.mark.parametrize("method", ["then", "add_done_callback"])
def test_a_callback_that_cannot_be_called_is_refused(method, mt, oracle):
    def register_number_as_callback(torch):
        try:
            getattr(torch.futures.Future(), method)(3)
        except TypeError as error:
            return normalise(str(error))

    assert register_number_as_callback(mt) == register_number_as_callback(oracle)


def test_wait_raises_the_error_of_a_then_callback(mt, oracle):
    def wait_for_failed_callback(torch):
        future = torch.futures.Future()
        following = future.then(lambda _: {}["missing"])
        future.set_result(1)
        with pytest.raises(RuntimeError) as raised:
            following.wait()
        return str(raised.value).split("\n")[:4]

    ours, theirs = wait_for_failed_callback(mt), wait_for_failed_callback(oracle)
    assert ours[:3] == theirs[:3] and "<lambda>" in ours[3] and "<lambda>" in theirs[3]


def test_callbacks_run_in_order_and_their_errors_go_no_further(mt, capfd):
    calls = []
    future = mt.futures.Future()
    future.add_done_callback(lambda done: calls.append(("first", done.value())))
    future.add_done_callback(lambda done: 1 / 0)
    doubled = future.then(lambda done: done.wait() * 2)
    future.add_done_callback(lambda done: calls.append(("last", done.value())))
    future.set_result(5)
    assert calls == [("first", 5), ("last", 5)] and doubled.wait() == 10
    printed = capfd.readouterr().err
    assert "Got the following error when running the callback: ZeroDivisionError: division by zero" in printed
    future.add_done_callback(lambda done: calls.append("at once"))
    assert calls[-1] == "at once"


def test_thread_waits_for_a_key_that_another_sets(mt):
    future = mt.futures.Future()
    got = []
    threads = [threading.Thread(target=lambda: got.append(future.wait())) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert not future.done()
    future.set_result("value")
    for thread in threads:
        thread.join(10)
    assert got == ["value"] * 3


def test_future_cannot_be_pickled(mt, oracle):
    def pickle_future(torch):
        return pickle.dumps(torch.futures.Future())

    assert result(pickle_future, mt) == result(pickle_future, oracle)
