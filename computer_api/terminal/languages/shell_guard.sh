# Waits for the end of the terminal's process, and ends what blocks started: the shell itself hears of it only
# after the program in the foreground. Arguments: the shell's process, the folder of blocks, and the mark that
# everything the shell starts has in its environment. Where there is no /proc, the shell's group must do.
trap '' HUP INT QUIT TERM
read -r line
for entry in /proc/[0-9]*; do
  [ -r "$entry/stat" ] && read -r line 2>/dev/null <"$entry/stat" || continue
  set -- "$1" "$2" "$3" ${line##*) } # state, parent, group, session
  [ "$7" = "$1" ] && [ "$6" != "$1" ] && kill -KILL -- "-$6"
done
rm -rf -- "$2"
grep -lzsx -- "OI_TERMINAL=$3" /proc/[0-9]*/environ | while IFS=/ read -r line line line rest; do
  # What has left the session, but not this script, which is part of it.
  case $line in $$ | "$1") ;; *) kill -KILL "$line" ;; esac
done
kill -KILL -- "-$1"
