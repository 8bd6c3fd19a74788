"""python -m torch.distributed.launch: torchrun that passes --local-rank to the workers."""

from ..utils._deprecated import deprecated as _deprecated
from .run import get_args_parser, run


def parse_args(args):
    """Parses torchrun's options and --use-env.

    Args:
        args (list[str] or None): the words; None is sys.argv.

    Returns:
        Namespace: the options.
    """
    parser = get_args_parser()
    meaning = "leave LOCAL_RANK to the environment, pass no --local-rank"
    parser.add_argument("--use-env", "--use_env", action="store_true", help=meaning)
    return parser.parse_args(args)


def launch(args) -> None:
    """Launches what parsed options say; passes --local-rank to the workers unless --use-env is given.

    Args:
        args (Namespace): of parse_args.
    """
    if args.no_python and not args.use_env:
        raise ValueError("When using the '--no-python' flag, you must also set the '--use-env' flag.")
    run(args)


_NOTICE = (
    "The module torch.distributed.launch is deprecated\nand will be removed in future. Use torchrun.\n"
    "Note that --use-env is set by default in torchrun.\nIf your script expects `--local-rank` argument to be set, "
    "please\nchange it to read from `os.environ['LOCAL_RANK']` instead. See \n"
    "https://pytorch.org/docs/stable/distributed.html#launch-utility for \nfurther instructions\n"
)


@_deprecated(_NOTICE)
def main(args=None) -> None:
    """Runs the command; deprecated in favour of torchrun.

    Args:
        args (list[str], optional): its words. Default: sys.argv.
    """
    launch(parse_args(args))


if __name__ == "__main__":
    main()
