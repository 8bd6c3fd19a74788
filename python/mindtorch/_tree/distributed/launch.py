"""python -m torch.distributed.launch: torchrun that passes --local-rank to the workers."""

from ..utils._deprecated import deprecated as _deprecated
from .run import get_args_parser, run


def parse_args(args):
    """torchrun's options, and --use-env."""
    parser = get_args_parser()
    meaning = "leave LOCAL_RANK to the environment, pass no --local-rank"
    parser.add_argument("--use-env", "--use_env", action="store_true", help=meaning)
    return parser.parse_args(args)


def launch(args) -> None:
    """Does what parsed options say."""
    if args.no_python and not args.use_env:
        raise ValueError("When using the '--no-python' flag, you must also set the '--use-env' flag.")
    run(args)


@_deprecated(
    "The module torch.distributed.launch is deprecated\n"
    "and will be removed in future. Use torchrun.\n"
    "Note that --use-env is set by default in torchrun.\n"
    "If your script expects `--local-rank` argument to be set, please\n"
    "change it to read from `os.environ['LOCAL_RANK']` instead. See \n"
    "https://pytorch.org/docs/stable/distributed.html#launch-utility for \n"
    "further instructions\n"
)
def main(args=None) -> None:
    """The command."""
    launch(parse_args(args))


if __name__ == "__main__":
    main()
