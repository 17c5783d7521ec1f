# ruff: noqa: E501, RUF001 - a table of drawings and glyphs
"""Which drawing of each icon set shows a meaning: sets drawn by other hands, for pages that tests look at.

``SETS`` names each set's folder below the unpacked packages, or the installed theme. None of them is shipped.
"""

from __future__ import annotations

# meaning: bootstrap, material, fontawesome, feather, tabler, freedesktop name (Papirus and Adwaita symbolic), glyph
_TABLE = """
settings    gear                     settings        gear                  settings         settings        emblem-system          ⚙
menu        list                     menu            bars                  menu             menu-2          open-menu              ☰
more        three-dots-vertical      more_vert       ellipsis-vertical     more-vertical    dots-vertical   view-more              ⋮
more        three-dots               more_horiz      ellipsis              more-horizontal  dots            view-more-horizontal   ⋯
close       x-lg                     close           xmark                 x                x               window-close           ✕
add         plus-lg                  add             plus                  plus             plus            list-add               ＋
remove      dash-lg                  remove          minus                 minus            minus           list-remove            -
search      search                   search          magnifying-glass      search           search          edit-find              🔍
back        arrow-left               arrow_back      arrow-left            arrow-left       arrow-left      go-previous            ←
forward     arrow-right              arrow_forward   arrow-right           arrow-right      arrow-right     go-next                →
up          arrow-up                 arrow_upward    arrow-up              arrow-up         arrow-up        go-up                  ↑
down        arrow-down               arrow_downward  arrow-down            arrow-down       arrow-down      go-down                ↓
back        chevron-left             chevron_left    chevron-left          chevron-left     chevron-left    -                      ❮
forward     chevron-right            chevron_right   chevron-right         chevron-right    chevron-right   -                      ❯
down        chevron-down             expand_more     chevron-down          chevron-down     chevron-down    pan-down               -
home        house                    home            house                 home             home            go-home                -
reload      arrow-clockwise          refresh         rotate-right          refresh-cw       refresh         view-refresh           ↻
star        star                     star            star                  star             star            starred                ★
star        star-fill                star_border     -                     -                -               non-starred            ☆
heart       heart                    favorite        heart                 heart            heart           emote-love             ♥
trash       trash                    delete          trash                 trash-2          trash           user-trash             🗑
edit        pencil                   edit            pencil                edit-2           pencil          document-edit          ✎
save        floppy                   save            floppy-disk           save             device-floppy   document-save          💾
folder      folder                   folder          folder                folder           folder          folder                 📁
download    download                 file_download   download              download         download        folder-download        -
upload      upload                   file_upload     upload                upload           upload          -                      -
share       share                    share           share-nodes           share-2          share           emblem-shared          -
print       printer                  print           print                 printer          printer         document-print         🖶
play        play                     play_arrow      play                  play             player-play     media-playback-start   ▶
pause       pause                    pause           pause                 pause            player-pause    media-playback-pause   ⏸
stop        stop                     stop            stop                  square           player-stop     media-playback-stop    ⏹
lock        lock                     lock            lock                  lock             lock            system-lock-screen     🔒
user        person                   person          user                  user             user            avatar-default         👤
bell        bell                     notifications   bell                  bell             bell            -                      🔔
check       check-lg                 check           check                 check            check           emblem-ok              ✓
info        info-circle              info            circle-info           info             info-circle     dialog-information     ℹ
warning     exclamation-triangle     warning         triangle-exclamation  alert-triangle   alert-triangle  dialog-warning         ⚠
calendar    calendar                 calendar_today  calendar              calendar         calendar        x-office-calendar      -
mail        envelope                 mail            envelope              mail             mail            mail-unread            ✉
camera      camera                   photo_camera    camera                camera           camera          camera-photo           📷
microphone  mic                      mic             microphone            mic              microphone      audio-input-microphone 🎤
eye         eye                      visibility      eye                   eye              eye             view-reveal            👁
copy        copy                     content_copy    copy                  copy             copy            edit-copy              -
cut         scissors                 content_cut     scissors              scissors         cut             edit-cut               ✂
paste       clipboard                content_paste   paste                 clipboard        clipboard       edit-paste             📋
undo        arrow-counterclockwise   undo            arrow-rotate-left     corner-up-left   arrow-back-up   edit-undo              ↶
redo        -                        redo            -                     corner-up-right  arrow-forward-up edit-redo             ↷
zoom_in     zoom-in                  zoom_in         magnifying-glass-plus zoom-in          zoom-in         zoom-in                -
zoom_out    zoom-out                 zoom_out        magnifying-glass-minus zoom-out        zoom-out        zoom-out               -
filter      funnel                   filter_alt      filter                filter           filter          -                      -
list        list-ul                  list            list                  list             list            view-list              -
grid        grid                     grid_view       table-cells-large     grid             layout-grid     view-grid              ▦
link        link-45deg               link            link                  link             link            insert-link            🔗
attach      paperclip                attach_file     paperclip             paperclip        paperclip       mail-attachment        📎
full_screen fullscreen               fullscreen      expand                maximize         maximize        view-fullscreen        ⛶
help        question-circle          help            circle-question       help-circle      help            help-browser           -
volume      volume-up                volume_up       volume-high           volume-2         volume          audio-volume-high      🔊
image       image                    image           image                 image            photo           image-x-generic        -
clock       clock                    schedule        clock                 clock            clock           document-open-recent   -
location    geo-alt                  place           location-dot          map-pin          map-pin         mark-location          -
phone       telephone                call            phone                 phone            phone           call-start             ☎
chat        chat                     chat_bubble     comment               message-square   message         user-available         💬
cart        cart                     shopping_cart   cart-shopping         shopping-cart    shopping-cart   -                      🛒
log_out     box-arrow-right          logout          right-from-bracket    log-out          logout          system-log-out         -
bookmark    bookmark                 bookmark        bookmark              bookmark         bookmark        user-bookmarks         🔖
send        send                     send            paper-plane           send             send            mail-send              -
new_window  -                        -               -                     -                -               window-new             -
"""
COLUMNS = ("bootstrap", "material", "fontawesome", "feather", "tabler", "freedesktop", "glyph")
SETS = {
    "bootstrap": ("bootstrap", "bootstrap-icons-*/package/icons/{}.svg"),
    "bootstrap-filled": ("bootstrap", "bootstrap-icons-*/package/icons/{}-fill.svg"),
    "material-filled": ("material", "material-design-icons-svg-*/package/filled/{}.svg"),
    "material-outlined": ("material", "material-design-icons-svg-*/package/outlined/{}.svg"),
    "fontawesome": ("fontawesome", "fortawesome-fontawesome-free-*/package/svgs/solid/{}.svg"),
    "feather": ("feather", "feather-icons-*/package/dist/icons/{}.svg"),
    "tabler-outline": ("tabler", "tabler-icons-*/package/icons/outline/{}.svg"),
    "tabler-filled": ("tabler", "tabler-icons-*/package/icons/filled/{}.svg"),
    "papirus-symbolic": ("freedesktop", "/usr/share/icons/Papirus/symbolic/*/{}-symbolic.svg"),
    "adwaita-symbolic": ("freedesktop", "/usr/share/icons/Adwaita/scalable/*/{}-symbolic.svg"),
}


def drawn(column: str) -> list[tuple[str, str]]:
    """Every meaning that the column draws, with the name of the drawing (or the glyph itself)."""
    place = 1 + COLUMNS.index(column)
    rows = [line.split() for line in _TABLE.strip().splitlines()]
    return [(row[0].replace("_", " "), row[place]) for row in rows if row[place] != "-"]
