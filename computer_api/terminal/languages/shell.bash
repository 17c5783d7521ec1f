# The start-up file of the terminal's bash. Set before it: __oi_dir, the folder of blocks, the numbers of
# three descriptors, __oi_records to write to, __oi_go to read from and __oi_lifeline, which ends with the
# terminal, and __oi_tty, a number that is free. What the three shells share is told in shell.py.
# It also runs on bash 3.2.

trap '' INT

eval "exec $__oi_tty<>/dev/tty"
set +o history
unset HISTFILE
shopt -s expand_aliases
PS1='' PS2=''
IGNOREEOF=1000000
__oi_block=0

# Pagers wait for keys.
less() {
  local __oi_arg
  local -a __oi_files
  __oi_files=()
  for __oi_arg; do
    case $__oi_arg in -?* | +*) ;; *) __oi_files[${#__oi_files[@]}]=$__oi_arg ;; esac
  done
  command cat -- ${__oi_files[@]+"${__oi_files[@]}"}
}
more() { less "$@"; }

# At the prompt: undo what a block did to the shell's own switches and streams, then report.
__oi_done() {
  set +f
  trap - QUIT TSTP
  exec <&"$__oi_tty" >&"$__oi_tty" 2>&"$__oi_tty"
  PS1='' PS2=''
  builtin jobs >/dev/null 2>&1
  builtin printf 'D %s %s %s\0' "$__oi_block" "$__oi_code" "$PWD" >&"$__oi_records"
}

# From here on an interrupt ends the block, which finds the exit code of the one before it.
__oi_begin() {
  local __oi_line
  trap - INT
  builtin printf 'B %s\0' "$__oi_block" >&"$__oi_records"
  while builtin read -r __oi_line <&"$__oi_go" && [[ $__oi_line != "$__oi_block" ]]; do :; done
  return "$__oi_code"
}

# First of all at the prompt.
__oi_halt() {
  __oi_code=$?
  trap '' INT
  set +euxvn
}

# A block may have set a prompt command of its own, as environment managers do.
__oi_keep() {
  local __oi_status=$?
  { trap '' INT; set +euxv; } 2>/dev/null
  __oi_prompt
  return "$__oi_status"
}

__oi_prompt() {
  unset PROMPT_COMMAND
  # No double quotes in it: bash 5.2 crashes on them here, after a block that ends inside "$(".
  PROMPT_COMMAND='{ __oi_halt; } 2>/dev/null; __oi_done'
}

# A block's own EXIT trap is run by ours.
trap() {
  builtin trap "$@" || return
  [[ $BASH_SUBSHELL == 0 ]] || return 0
  local __oi_action=$1
  [[ $1 != -- ]] || { __oi_action=$2; shift; }
  [[ $# -gt 0 ]] && shift || return 0
  case " $* " in
    *' EXIT '* | *' exit '* | *' 0 '*)
      [[ $__oi_action != -* ]] || __oi_action=
      __oi_trap=$__oi_action
      builtin trap __oi_exit EXIT
      ;;
  esac
}

__oi_return() { return "$1"; }

# When the shell ends: save what the next one is to know. A process that bash has just forked has
# this trap too for a moment, and a signal may end it in that moment.
__oi_exit() {
  local __oi_status=$? __oi_name __oi_fixed
  [[ ${BASHPID:-$$} == "$$" ]] || return
  { builtin trap '' INT; set +euxvf; } 2>/dev/null
  __oi_return "$__oi_status"
  eval "$__oi_trap"
  exec 2>/dev/null
  __oi_fixed=$'\n'$(readonly -p)
  {
    for __oi_name in $(compgen -v); do
      case $__oi_name in
        BASH* | __oi_* | OI_* | _ | [0-9]* | COMP_* | DIRSTACK | EPOCH* | EUID | FUNCNAME | GROUPS | HIST* | IGNOREEOF | LINENO) continue ;;
        OLDPWD | OPT* | PIPESTATUS | PPID | PROMPT_COMMAND | PS[0-4] | PWD | RANDOM | SECONDS | SHELLOPTS | SHLVL | SRANDOM | UID) continue ;;
      esac
      [[ $__oi_fixed == *$'\n'"declare -"*" $__oi_name="* ]] || declare -p "$__oi_name"
    done
    declare -f
    alias -p
    printf 'cd -- %q\n' "$PWD"
  } >"$__oi_dir/state"
  builtin printf 'X %s\0' "$__oi_status" >&"$__oi_records"
}

if [[ -r $__oi_dir/state ]]; then
  . "$__oi_dir/state" 2>/dev/null
  command rm -f -- "$__oi_dir/state"
fi
# Started by a process that is deaf already, so that it is so itself from its first moment; and
# before there is an EXIT trap, so that it never has that.
(
  trap '' HUP INT QUIT TERM
  eval "exec $__oi_records>&- $__oi_tty>&- $__oi_go<&-"
  command sh "$__oi_dir/guard" "$$" "$__oi_dir" "$OI_TERMINAL" <&"$__oi_lifeline" >/dev/null 2>&1 &
)
__oi_trap=
builtin trap __oi_exit EXIT
eval "exec $__oi_lifeline<&-"
__oi_prompt
