"""What the terminals print: each is on one screen only."""

FOREST = """
nora@birch:~/orchard$ ls -l
total 148
-rw-r--r-- 1 nora staff   4117 Mar  2 09:14 harvest_plan.ods
-rw-r--r-- 1 nora staff    912 Mar  2 09:20 irrigation.conf
drwxr-xr-x 3 nora staff   4096 Feb 27 17:41 photographs
-rwxr-xr-x 1 nora staff   2203 Feb 25 08:02 prune.sh
-rw-r--r-- 1 nora staff  88345 Feb 20 12:33 soil_samples.csv
nora@birch:~/orchard$ git log --oneline
\x1b[33m3fa91c2\x1b[0m Water the young trees twice a week
\x1b[33mb80d17e\x1b[0m Move the beehives away from the lane
\x1b[33m77ce0a4\x1b[0m Count windfalls as loss
\x1b[33m0d5512b\x1b[0m First inventory of the western field
nora@birch:~/orchard$ df -h
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2  234G  118G  105G  53% /
tmpfs           7.8G  2.1M  7.8G   1% /run
/dev/sdb1       1.8T  1.2T  541G  70% /media/archive
nora@birch:~/orchard$ systemctl --failed
  UNIT                  LOAD    ACTIVE  SUB     DESCRIPTION
  \x1b[31mfrost-alarm.service\x1b[0m   loaded  failed  failed  Warns when frost is near
  \x1b[31mpump@3.timer\x1b[0m          loaded  failed  failed  Third pump, every night
2 loaded units listed.
nora@birch:~/orchard$ ping -c 2 weather-mast
64 bytes from weather-mast: icmp_seq=1 ttl=64 time=0.41 ms
64 bytes from weather-mast: icmp_seq=2 ttl=64 time=0.38 ms
2 packets transmitted, 2 received, 0% packet loss
"""

KILN = """
$ docker compose ps
NAME          SERVICE     STATUS        PORTS
kiln-api      backend     running       8081/tcp
kiln-web      frontend    restarting    8443/tcp
kiln-cache    storage     exited        none
$ tail -4 /var/log/kiln.log
12:01:44 WARN  thermocouple drifting by 3 degrees
12:02:10 INFO  glaze program selected: celadon
12:05:59 ERROR lid opened during firing
12:06:02 INFO  heating elements switched off
$ kiln status
Chamber temperature : 1187 C
Target              : 1240 C
Remaining time      : 2 h 35 min
Operator            : Fumiko
"""

HARBOUR = """
captain@quay:/srv/manifest$ ps aux
USER       PID  %CPU  %MEM  START  COMMAND
root         1   0.0   0.1  May04  /sbin/init
postgres   812   1.4   3.9  May04  postgres: checkpointer
radar     2077  22.6   8.2  06:31  sweep --sector north
captain   3190   0.3   0.4  07:55  less tides.txt
captain@quay:/srv/manifest$ cargo test
   Compiling ballast v0.4.2
   Compiling manifest v1.9.0
    Finished test profile in 14.82s
running 5 tests
test loads::empty_hold ... \x1b[32mok\x1b[0m
test loads::refuses_overweight ... \x1b[32mok\x1b[0m
test ports::unknown_code ... \x1b[31mFAILED\x1b[0m
test ports::transfers ... \x1b[32mok\x1b[0m
test crew::swapped_watch ... \x1b[32mok\x1b[0m
captain@quay:/srv/manifest$ column -t berths.txt
Berth   Vessel           Length   Draught   Departs
A1      Northern Gannet  142 m    7.9 m     Thursday
A2      Esperanza        88 m     4.1 m     tonight
B1      Coral Trader     203 m    11.6 m    unknown
B4      Little Puffin    31 m     2.2 m     Sunday
captain@quay:/srv/manifest$ ssh lighthouse uptime
 08:12:33 up 311 days, 2 users
captain@quay:/srv/manifest$ make deploy
rsync: sending incremental file list
deployment refused: the tide gate is shut
"""

BAKERY = """
% psql -c "select * from doughs"
 name         hydration   rest      price
 ciabatta     80 %        18 hours  3.20
 pumpernickel 72 %        30 hours  4.75
 brioche      55 %        12 hours  5.10
% crontab -l
0 3 * * *    preheat --deck 2
30 4 * * 6   weigh-flour --warn
% uname -sr
Linux 6.8.0-oven
% lpstat
receipts-17  mirella  20480  Tue 06:10
labels-18    mirella   4096  Tue 06:12
% echo Finished
Finished
"""

PIER = """
$ tide --place Whitstable --days 3
Friday     high 04:51   low 11:08
Saturday   high 05:33   low 11:52
Sunday     high 06:14   low 12:30
$ journalctl -n 4
foghorn[441]: two blasts every minute
foghorn[441]: visibility below 900 metres
winch[1207]: cable tension nominal
sshd[88]: Accepted publickey for warden
$ nproc && free -h
8
Mem:   15Gi   6.2Gi   1.1Gi
$ exit
"""

ORCHESTRA = """
# mount --bind /srv/scores /mnt
# lsblk
NAME     SIZE  TYPE  FSTYPE
mmcblk0  59G   disk  none
zram0    4G    swap  lz4
# dmesg | tail -3
usb 1-4: new high-speed device
metronome: calibrated at 440 hertz
random: crng reseeded
# who
conductor  tty2     Apr 11
oboe       pts/3    Apr 12
"""

LETTER = (
    ("Dear Mrs Tolliver,",),
    ("the chimney sweep will call on Monday morning.",),
    ("Please cover the piano with a sheet,",),
    ("and keep the cat in the scullery.",),
    ("He needs about an hour for both flues.",),
    ("Soot that falls on the carpet",),
    ("is best left until it has dried.",),
    ("The bill is 85 pounds, ladder included.",),
    ("Yours sincerely,",),
    ("Augustus Prentice",),
)

SHOPPING = (
    ("# Before winter",),
    ("mend gutter",),
    ("oil gate hinge",),
    ("dynamo lamp",),
    ("zip of anorak",),
    ("cellar draught",),
    ("ask Mr Pettigrew",),
    ("300 roof tiles",),
)

ACCOUNTS = (
    ("Month", "Honey", "Candles", "Stings"),
    ("April", "12 jars", "none", "4"),
    ("May", "38 jars", "6 boxes", "11"),
    ("June", "55 jars", "9 boxes", "23"),
    ("July", "71 jars", "14 boxes", "17"),
    ("August", "64 jars", "8 boxes", "30"),
    ("Frames", "lent out", "Carlisle", "Hive 3"),
    ("Smoker", "broken", "Keswick", "Hive 5"),
    ("Veil", "washed", "Penrith", "Hive 8"),
    ("Queen", "marked", "Ambleside", "Hive 9"),
)

SONNET = (
    ("Over the frozen lake",),
    ("a fox had signed its name",),
    ("in commas on the snow,",),
    ("as if it knew of us.",),
    ("Our kettle sang by noon",),
    ("and under ice there slept",),
    ("a village with its bells",),
    ("that still rang four.",),
)

FERRY = """
deck$ head -6 crossings.tsv
ship        from       to         cars  fare
Skylark     Oban       Craignure  38    17.40
Corncrake   Mallaig    Armadale   22    11.05
Shearwater  Ullapool   Stornoway  114   52.80
Kittiwake   Largs      Cumbrae    18    9.20
deck$ grep -c cancelled crossings.tsv
3
deck$ ip -brief addr
lo       UNKNOWN  127.0.0.1/8
eth0     UP       192.168.7.23/24
wlan0    DOWN
deck$ top -bn1 | head
PID   OWNER    CPU   STATE     COMMAND
4410  purser   7.5   running   tickets --night
4412  purser   0.0   sleeping  printerd
731   bosun    2.1   sleeping  winch-monitor
deck$ tar tf logbook.tar
logbook/january.txt
logbook/february.txt
logbook/collision_report.pdf
deck$ pip list --outdated
Package   Version  Latest
lanterns  1.4.2    2.0.0
semaphore 0.9      0.11
deck$ python -c "print(6 * 7)"
42
"""

WORKSHOP = (
    ("Part", "Supplier", "Ordered", "Due", "Pieces"),
    ("Flywheel", "Orrell", "3 Feb", "today", "2"),
    ("Gasket", "Bram", "9 Feb", "17 Feb", "60"),
    ("Crank pin", "Visser", "11 Feb", "late", "8"),
    ("Bearing", "Tanaka", "12 Feb", "1 March", "24"),
    ("Piston", "Orrell", "20 Feb", "unknown", "4"),
    ("Spanner", "Fletcher", "21 Feb", "2 March", "15"),
    ("Washer", "Bram", "22 Feb", "9 March", "500"),
    ("Throttle", "Lombardi", "26 Feb", "12 May", "1"),
    ("Valve", "Visser", "28 Feb", "3 June", "16"),
)

OBSERVATORY = """
keeper@tower:~$ rsync -av plates/ vault:/mirror/
sending incremental file list
plates/andromeda_1923.tif
plates/hyades_west.tif
plates/moon_quarter.tif
total size is 81,204,733  speedup is 1.00
keeper@tower:~$ kubectl get pods
NAME              READY   STATUS             RESTARTS   AGE
archive-7d9f      1/1     Running            0          41d
dome-control-x2   0/1     CrashLoopBackOff   17         3h
spectra-worker    2/2     Running            1          9d
keeper@tower:~$ cat /etc/hostname
tower
keeper@tower:~$ sensors
Core 0:        +48.0 C  (high = +90.0 C)
Fan exhaust:   1320 RPM
Mirror rim:    \x1b[33m+4.5 C\x1b[0m
keeper@tower:~$ git status
On branch eclipse
Your branch is ahead by 3 commits.
  modified:   schedule.toml
  deleted:    drafts/abstract.tex
Untracked files:
  sketches/umbra.svg
keeper@tower:~$ ffmpeg -i transit.mkv
Duration: 00:48:19, bitrate: 5120 kb/s
Stream #0: Video: h264, 1920x1080, 25 fps
keeper@tower:~$ apt list --upgradable
libfftw3-double3/stable 3.3.10
gpsd-clients/stable 3.25
keeper@tower:~$ at 23:40
warning: commands will be executed using /bin/sh
"""

LAUNDRY = """
> inventory --room basement
machine    load      minutes   state
drum-a     towels    34        rinsing
drum-b     linen     12        spinning
drum-c     empty     none      unplugged
dryer-1    wool      51        overheated
> wget detergent.example/prices
HTTP request sent, awaiting response
Length: 9127 (8.9K) [text/csv]
Saving to: prices.csv
> sed -n 2,5p prices.csv
soap flakes;4.20;kilogram
bleach;1.95;litre
lavender;7.10;sachet
starch;2.30;packet
> uptime -p
up 6 weeks, 2 days
> shutdown now
Permission denied: ask the janitor
"""

THEATRE_BUDGET = (
    ("Item", "Company", "Agreed", "Spent", "Note"),
    ("Curtain", "Velvet Co", "2,400", "2,615", "fireproof"),
    ("Timber", "Hobson", "860", "795", "returned"),
    ("Wigs", "M. Fleur", "540", "505", "hired"),
    ("Thunder", "Drummer", "75", "90", "sheet metal"),
    ("Poster", "Inkwell", "310", "288", "two colours"),
    ("Candles", "Chandler", "45", "61", "wax only"),
    ("Licence", "Clerk", "120", "119", "until July"),
    ("Insurance", "Aegis", "980", "unpaid", "renewal"),
)

GUIDEBOOK = (
    ("A walk along the ramparts",),
    ("Start at the cattle market and turn left.",),
    ("The first tower housed a gunpowder mill.",),
    ("Mind the uneven cobbles after rain.",),
    ("Swallows return to the gatehouse in April.",),
    ("From the bastion you can see three valleys.",),
    ("An inn behind the bakery serves trout.",),
    ("Dogs must stay on a leash.",),
    ("Allow ninety minutes, or two hours with children.",),
)
