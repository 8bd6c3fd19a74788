# shellcheck shell=sh disable=SC2154  # sourced: it shares variables with its caller
# Suite `environment`: turns an empty virtual environment into one whose torch is mindtorch, also for pip and for programs.
# Sourced by tests/run. Installs the wheel of the build; with --full, runs `pip install .`, which compiles everything again.
scratch=$root/build/install-environment
rm -rf "$scratch"
mkdir -p "$scratch"
empty_python=$scratch/venv/bin/python

pip_in_empty() { "$empty_python" -m pip install -q --disable-pip-version-check "$@"; }

brought_no_torch() {
  "$empty_python" -m pip list --format freeze >"$scratch/packages.txt"
  cat "$scratch/packages.txt"
  ! grep -qiE '^(nvidia-|triton|torch==[0-9.]+(\+cpu|\+cu[0-9]+)?$)' "$scratch/packages.txt" &&
    grep -qx 'torch==2.13.0+mindtorch' "$scratch/packages.txt"
}

uninstalled() { "$empty_python" -m pip uninstall -q -y "$@"; }
is_clean() {
  ! find "$scratch/venv" -iname '*mindtorch*' -o -path '*/site-packages/torch*' -o -name torchrun -o -name pip.conf | grep .
}

in_empty() { (cd "$scratch" && HF_HUB_OFFLINE=1 "$empty_python" "$@"); }

if ! need_installed; then
  failed_to_start environment
elif ! "$oracle/bin/python" -m pip download -q --disable-pip-version-check --no-deps -d "$scratch" safetensors >/dev/null 2>&1; then
  failed_to_start environment "pip reaches no package index; --without-network skips this suite"
else
  check "an empty environment is made" "$python" -m venv "$scratch/venv"
  if [ -n "$full" ]; then
    check "pip install ." pip_in_empty "$root"
  else
    check "pip install of the wheel" pip_in_empty "$wheel"
  fi
  check "python -m mindtorch enable" in_empty -m mindtorch enable
  check "pip install transformers accelerate safetensors" pip_in_empty 'transformers==4.57.*' accelerate safetensors
  check "no torch came with them" brought_no_torch
  check "BERT trains under python script.py, accelerate at the wheel" in_empty "$root/tests/install/train_bert.py"
  check "python -m mindtorch disable" in_empty -m mindtorch disable
  check "import torch is an ImportError again" in_empty -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is not None)'
  check "python -m mindtorch enable, again" in_empty -m mindtorch enable
  check "pip uninstall mindtorch" uninstalled mindtorch
  check "nothing of either is left" is_clean
  count_checks environment
fi
