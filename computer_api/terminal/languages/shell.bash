# The start-up file of the terminal's bash. Set before it: __oi_dir, the folder of blocks, and the
# numbers of two descriptors, __oi_records to write to and __oi_lifeline, which ends with the terminal.
# A record is "B block" when a block begins, "D block exit-code directory" at every prompt, or
# "X exit-code" when the shell ends. Between D and B an interrupt means nothing: bash at its prompt
# would print a line's end, which is then the next block's, or drop the line that starts that one.
# It also runs on bash 3.2.

trap '' INT

exec 5<&0 6>&1 7>&2
eval "exec 8>&$__oi_records $__oi_records>&-"
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
  exec <&5 >&6 2>&7
  PS1='' PS2=''
  jobs >/dev/null 2>&1
  printf 'D %s %s %s\0' "$__oi_block" "$__oi_code" "$PWD" >&8
}

# From here on an interrupt ends the block, which finds the exit code of the one before it.
__oi_begin() {
  trap - INT
  printf 'B %s\0' "$__oi_block" >&8
  return "$__oi_code"
}

# First of all at the prompt.
__oi_halt() {
  __oi_code=$?
  trap '' INT
  set +euxv
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

# When the shell ends: save what the next one is to know. A process that bash has just forked has
# this trap too for a moment, and a signal may end it in that moment.
__oi_exit() {
  local __oi_status=$? __oi_name __oi_fixed
  [[ ${BASHPID:-$$} == "$$" ]] || return
  { trap '' INT; set +euxvf; } 2>/dev/null
  exec 2>/dev/null
  __oi_fixed=$'\n'$(readonly -p)
  {
    for __oi_name in $(compgen -v); do
      case $__oi_name in
        BASH* | __oi_* | _ | [0-9]* | COMP_* | DIRSTACK | EPOCH* | EUID | FUNCNAME | GROUPS | HIST* | IGNOREEOF | LINENO) continue ;;
        OLDPWD | OPT* | PIPESTATUS | PPID | PROMPT_COMMAND | PS[0-4] | PWD | RANDOM | SECONDS | SHELLOPTS | SHLVL | SRANDOM | UID) continue ;;
      esac
      [[ $__oi_fixed == *$'\n'"declare -"*" $__oi_name="* ]] || declare -p "$__oi_name"
    done
    declare -f
    alias -p
    printf 'cd -- %q\n' "$PWD"
  } >"$__oi_dir/state"
  printf 'X %s\0' "$__oi_status" >&8
}

# Waits for the end of the terminal's process, and ends what blocks started: bash itself hears of it
# only after the program in the foreground. Where there is no /proc, that much must do.
__oi_guard() {
  local __oi_stat
  trap '' HUP INT QUIT TERM
  read -r
  for __oi_stat in /proc/[0-9]*/stat; do
    [[ -r $__oi_stat ]] && read -r __oi_stat <"$__oi_stat" || continue
    set -- ${__oi_stat##*) } # state, parent, group, session
    [[ $4 == "$$" && $3 != "$$" ]] && kill -KILL -- "-$3"
  done
  command rm -rf -- "$__oi_dir"
  kill -KILL -- "-$$" # this one too
}

if [[ -r $__oi_dir/state ]]; then
  . "$__oi_dir/state" 2>/dev/null
  command rm -f -- "$__oi_dir/state"
fi
# Started by a process that is deaf already, so that it is so itself from its first moment; and
# before there is an EXIT trap, so that it never has that.
(
  trap '' HUP INT QUIT TERM
  __oi_guard <&"$__oi_lifeline" >/dev/null 2>&1 5<&- 6<&- 7<&- 8<&- &
)
trap __oi_exit EXIT
eval "exec $__oi_lifeline<&-"
__oi_prompt
