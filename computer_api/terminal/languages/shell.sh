# The start-up file of the terminal's sh, in words that every POSIX shell knows: as shell.bash, with two
# differences. Descriptors above 9 are opened by name; and the prompt, which is all that such a shell does after a
# block whatever befell it, is a command in a process of its own, so that only a command that is typed, __oi_keep or
# the next block's beginning, can put the shell's switches back and make it ignore interrupts.

trap '' INT
set -- "$__oi_dir" "$__oi_records" "$__oi_go" "$__oi_lifeline" "$OI_TERMINAL" "$PATH" "$OI_COMPUTER_FD"
if [ -r "$1/state" ]; then
  . "$1/state" 2>/dev/null
  cd -- "$PWD" 2>/dev/null
  command rm -f -- "$1/state"
fi
if [ -r "$1/functions" ]; then
  . "$1/functions" 2>/dev/null
  command rm -f -- "$1/functions"
fi
__oi_dir=$1 __oi_records=$2 __oi_go=$3 __oi_lifeline=$4 OI_TERMINAL=$5
unset ENV HISTFILE
(set +o emacs +o vi) 2>/dev/null && set +o emacs +o vi
set -o ignoreeof
__oi_block=0

# Pagers wait for keys.
less() { (
  for __oi_arg; do
    shift
    case $__oi_arg in -?* | +*) ;; *) set -- "$@" "$__oi_arg" ;; esac
  done
  command cat -- "$@"
) }
more() { less "$@"; }

# At the prompt, in a process of its own.
__oi_done() {
  command printf 'D %s %s %s\0' "$__oi_block" "$1" "$PWD" >/dev/fd/"$__oi_records"
}

# From here on an interrupt ends the block, which finds the exit code of the one before it.
__oi_begin() {
  exec </dev/tty >/dev/tty 2>/dev/tty
  trap - INT QUIT TSTP
  command printf 'B %s\0' "$__oi_block" >/dev/fd/"$__oi_records"
  while command read -r __oi_line </dev/fd/"$__oi_go" && [ "$__oi_line" != "$__oi_block" ]; do :; done
  return "$__oi_code"
}

# After a block that came to its end.
__oi_keep() {
  __oi_code=$?
  trap '' INT
  set +euxvf
  exec </dev/tty >/dev/tty # sh reads its next line from there
  __oi_prompt
  command jobs >/dev/null 2>&1
  return "$__oi_code"
}

__oi_prompt() { PS1='$(__oi_done $?)' PS2='' PS4='+ '; }

# A block's own EXIT trap is run by ours.
__oi_trapped() {
  trap "$@" || return
  [ "$1" != -- ] || shift
  [ $# -gt 1 ] || return 0
  __oi_action=$1
  shift
  case " $* " in
    *' EXIT '* | *' 0 '*)
      [ "$__oi_action" != - ] || __oi_action=
      __oi_trap=$__oi_action
      trap __oi_exit EXIT
      ;;
  esac
}

__oi_return() { return "$1"; }

# When the shell ends: save what the next one is to know; functions cannot be asked for.
__oi_exit() {
  __oi_code=$?
  trap '' INT
  set +euxvf
  __oi_return "$__oi_code"
  eval "$__oi_trap"
  exec 2>/dev/null
  {
    set
    export -p
    alias | sed 's/^alias //; /^trap=/d; s/^/alias /'
  } >"$__oi_dir/state"
  command printf 'X %s\0' "$__oi_code" >/dev/fd/"$__oi_records"
}

(
  trap '' HUP INT QUIT TERM
  command sh "$__oi_dir/guard" "$$" "$__oi_dir" "$OI_TERMINAL" </dev/fd/"$__oi_lifeline" >/dev/null 2>&1 &
)
__oi_trap=
trap __oi_exit EXIT
alias trap=__oi_trapped # a function of that name would not be called
__oi_prompt
