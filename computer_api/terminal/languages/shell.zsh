# The start-up file of the terminal's zsh: as shell.bash, in zsh's words.

trap '' INT
unset ZDOTDIR HISTFILE
SAVEHIST=0
exec {__oi_tty}<>/dev/tty
setopt no_bang_hist no_prompt_sp no_prompt_cr no_notify no_check_jobs no_hup ignore_eof no_beep no_mail_warning
PS1='' PS2='' RPS1=''
__oi_block=0

# Pagers wait for keys.
less() {
  emulate -L zsh
  command cat -- ${@:#([-+]?*)}
}
more() { less "$@" }

# At the prompt: undo what a block did to the shell's own switches and streams, then report.
__oi_done() {
  exec <&$__oi_tty >&$__oi_tty 2>&$__oi_tty
  PS1='' PS2='' RPS1=''
  builtin print -rn -- "D $__oi_block $__oi_code $PWD"$'\0' >&$__oi_records
}

# From here on an interrupt ends the block, which finds the exit code of the one before it.
__oi_begin() {
  trap - INT
  __oi_tell
  return $__oi_code
}

__oi_tell() {
  emulate -L zsh
  local __oi_line
  builtin print -rn -- "B $__oi_block"$'\0' >&$__oi_records
  while builtin read -r __oi_line <&$__oi_go && [[ $__oi_line != $__oi_block ]]; do :; done
}

# First of all at the prompt.
__oi_halt() {
  __oi_code=$?
  trap '' INT
  trap - QUIT TSTP
  unsetopt err_exit err_return xtrace verbose glob_subst sh_word_split ksh_arrays no_unset no_glob no_exec
}

# zsh itself puts xtrace back when a function ends, so that the line that starts the next block switches it off too.
__oi_hook() {
  { __oi_halt; unsetopt xtrace } 2>/dev/null
  emulate -L zsh
  __oi_done
}

# A block may have set a hook of its own, as environment managers do, or wants its jobs told at the prompt.
__oi_keep() {
  local __oi_status=$?
  { trap '' INT; unsetopt err_exit err_return xtrace verbose no_unset; } 2>/dev/null
  __oi_prompt
  builtin jobs >/dev/null 2>&1
  return $__oi_status
}

__oi_prompt() {
  emulate -L zsh
  unfunction precmd preexec periodic zshexit 2>/dev/null
  precmd_functions=(__oi_hook) preexec_functions=() zshexit_functions=(__oi_exit)
}

# When the shell ends: save what the next one is to know. What errexit ends has the trap and not the hook.
__oi_exit() {
  local __oi_status=$?
  [[ -z $__oi_over ]] || return
  __oi_over=1
  exec 2>/dev/null
  unsetopt err_exit err_return xtrace no_unset
  emulate -L zsh
  trap '' INT
  local __oi_name
  {
    for __oi_name in ${(k)parameters}; do
      case $__oi_name in
        PATH | HOME | FPATH | CDPATH | MANPATH | IFS | TERM | LANG | LC_*) ;;
        __oi_* | OI_* | _ | OLDPWD | PWD | PPID | precmd_functions | preexec_functions | zshexit_functions) continue ;;
        *) [[ $parameters[$__oi_name] != *(special|readonly|hideval|local)* ]] || continue ;;
      esac
      builtin typeset -p -- $__oi_name
    done
    builtin functions
    builtin alias -L
    builtin print -r -- "cd -- ${(q)PWD}"
  } >$__oi_dir/state
  builtin print -rn -- "X $__oi_status"$'\0' >&$__oi_records
}

if [[ -r $__oi_dir/state ]]; then
  . $__oi_dir/state 2>/dev/null
  command rm -f -- $__oi_dir/state
fi
(
  trap '' HUP INT QUIT TERM
  exec {__oi_records}>&- {__oi_tty}>&- {__oi_go}<&-
  command sh $__oi_dir/guard $$ $__oi_dir $OI_TERMINAL <&$__oi_lifeline >/dev/null 2>&1 &
)
exec {__oi_lifeline}<&-
trap __oi_exit EXIT
__oi_prompt
