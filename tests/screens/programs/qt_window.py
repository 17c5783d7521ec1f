"""Qt 5 windows that write where their texts are, then stay open: qt_window.py SCENE OUT.json."""

import json
import os
import sys

from PyQt5.QtCore import QPoint, QRect, Qt, QTimer
from PyQt5.QtGui import QColor, QFont, QPalette
from PyQt5.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMenuBar,
    QPushButton,
    QRadioButton,
    QStyle,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QToolBar,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)


def box(*widgets, vertical=False):
    made = QWidget()
    layout = QVBoxLayout(made) if vertical else QHBoxLayout(made)
    for widget in widgets:
        layout.addWidget(widget)
    return made


def button(words, colour=None, off=False):
    made = QPushButton(words)
    made.setEnabled(not off)
    if colour:
        made.setStyleSheet(f"background-color: {colour}; color: white; padding: 5px 14px;")
    return made


def group(title, *widgets):
    made = QGroupBox(title)
    layout = QVBoxLayout(made)
    for widget in widgets:
        layout.addWidget(widget)
    return made


def form(fields):
    made = QWidget()
    layout = QFormLayout(made)
    for name, value in fields:
        if isinstance(value, list):
            field = QComboBox()
            field.addItems(value)
        else:
            field = QLineEdit(value)
        layout.addRow(name, field)
    return made


def table(columns, rows):
    made = QTableWidget(len(rows), len(columns))
    made.setHorizontalHeaderLabels(columns)
    for y, values in enumerate(rows):
        for x, value in enumerate(values):
            made.setItem(y, x, QTableWidgetItem(str(value)))
    made.resizeColumnsToContents()
    made.verticalHeader().hide()
    return made


def menus(window, described):
    for title, items in described.items():
        menu = window.menuBar().addMenu(title)
        for words in items:
            if words == "-":
                menu.addSeparator()
                continue
            name, _, keys = words.lstrip("!").partition("|")
            action = menu.addAction(name)
            action.setEnabled(words[0] != "!")
            if keys:
                action.setShortcut(keys)


def tools(window, *words):
    bar = QToolBar()
    for word in words:
        bar.addAction(word)
    window.addToolBar(bar)


def invoices():
    """Book-keeping: menu open, toolbar, table, form."""
    window = QMainWindow()
    window.setWindowTitle("Ledger 4")
    menus(
        window,
        {
            "Company": ["Open books", "Close year"],
            "Invoice": [
                "Create invoice|Ctrl+I",
                "Credit note|Ctrl+K",
                "-",
                "Send reminder|F6",
                "!Cancel invoice",
                "Attach document",
                "Record payment|Ctrl+Shift+P",
                "Write off",
            ],
            "Accounts": ["Chart of accounts"],
            "Taxes": ["VAT return"],
            "Tools": ["Reconcile"],
        },
    )
    tools(window, "New invoice", "Post entries", "Bank import", "Balance sheet", "Search")
    rows = [
        ("2024-118", "Lindqvist Marine", "12 Feb", "1,840.00", "Paid"),
        ("2024-119", "Castello Wines", "14 Feb", "312.40", "Open"),
        ("2024-120", "Abbott Garage", "15 Feb", "96.75", "Overdue"),
        ("2024-121", "Nordic Timber", "19 Feb", "7,205.10", "Open"),
        ("2024-122", "Bakery Rosenthal", "20 Feb", "58.00", "Draft"),
        ("2024-123", "Finch and Daughters", "22 Feb", "430.00", "Paid"),
        ("2024-124", "Quayside Hotel", "26 Feb", "2,115.90", "Disputed"),
    ]
    details = form(
        (
            ("Customer", "Castello Wines"),
            ("Reference", "PO 77-1043"),
            ("Payment terms", ["30 days net"]),
            ("Account", ["8400 Sales"]),
            ("Discount", "2 percent"),
        )
    )
    options = group(
        "Options", QCheckBox("Reverse charge"), QCheckBox("Show unit prices"), QCheckBox("Partial delivery")
    )
    buttons = box(
        button("Save invoice", "#2e7d32"),
        button("Preview"),
        button("Void", "#b71c1c"),
        button("Unlock", off=True),
    )
    right = box(details, options, buttons, QLabel("Net amount 262.52"), QLabel("Tax 49.88"), vertical=True)
    window.setCentralWidget(box(table(["Number", "Customer name", "Issued", "Amount", "State"], rows), right))
    window.statusBar().addWidget(QLabel("Fiscal year 2024"))
    window.statusBar().addWidget(QLabel("Seven invoices, three unpaid"))
    window.resize(1000, 520)
    return window, "Invoice"


def telescope():
    """An instrument's control panel: tabs, groups, tree."""
    window = QMainWindow()
    window.setWindowTitle("Observatory control")
    menus(
        window,
        {
            "Session": ["Begin night"],
            "Mount": [
                "Park",
                "Calibrate drive",
                "-",
                "Slew to zenith|F9",
                "!Release brake",
                "Set limits",
                "Export pointing model|Ctrl+E",
            ],
            "Camera": ["Cool down"],
            "Dome": ["Open shutter"],
        },
    )
    tools(window, "Connect", "Focus run", "Plate solve", "Abort exposure")
    tree = QTreeWidget()
    tree.setHeaderLabels(["Target", "Magnitude"])
    for name, children in (
        ("Galaxies", [("Whirlpool", "8.4"), ("Sombrero", "8.0"), ("Pinwheel", "7.9")]),
        ("Clusters", [("Beehive", "3.7"), ("Wild Duck", "6.3")]),
        ("Planets", [("Saturn", "0.6"), ("Neptune", "7.8")]),
    ):
        top = QTreeWidgetItem([name, ""])
        for child in children:
            top.addChild(QTreeWidgetItem(list(child)))
        tree.addTopLevelItem(top)
    tree.expandAll()
    tree.resizeColumnToContents(0)
    exposure = box(
        form(
            (
                ("Exposure time", "180 s"),
                ("Filter", ["Hydrogen alpha"]),
                ("Binning", ["2 by 2"]),
                ("Gain", "120"),
                ("Repeat count", "24"),
            )
        ),
        QCheckBox("Dither between frames"),
        QCheckBox("Save as FITS"),
        vertical=True,
    )
    tabs = QTabWidget()
    tabs.addTab(exposure, "Imaging")
    for title in ("Guiding", "Weather", "Flat fields"):
        tabs.addTab(QWidget(), title)
    state = group(
        "Mount status",
        QLabel("Right ascension 13h 29m"),
        QLabel("Declination +47 11"),
        QLabel("Tracking at sidereal rate"),
        QRadioButton("Equatorial"),
        QRadioButton("Alt-azimuth"),
    )
    foot = box(
        button("Start sequence", "#1565c0"),
        button("Pause sequence"),
        button("Emergency stop", "#c62828"),
        button("Resume", off=True),
    )
    window.setCentralWidget(box(box(tree, tabs, state), foot, vertical=True))
    window.statusBar().addWidget(QLabel("Seeing 1.8 arcseconds"))
    window.statusBar().addWidget(QLabel("Humidity 64 percent"))
    window.resize(980, 500)
    return window, "Mount"


def vineyard():
    """A vineyard's year: menu open, table, tabs, tree."""
    window = QMainWindow()
    window.setWindowTitle("Cellar book")
    menus(
        window,
        {
            "Estate": ["Parcels"],
            "Vintage": [
                "Open vintage|Ctrl+O",
                "Record picking",
                "-",
                "Measure sugar|F7",
                "!Seal vintage",
                "Compare with previous",
                "Export labels|Ctrl+L",
            ],
            "Barrels": ["Top up"],
            "Visitors": ["Tasting list"],
        },
    )
    tools(window, "Pick", "Crush", "Rack barrels", "Bottle", "Logbook")
    rows = [
        ("Steep slope", "Riesling", "slate", "1.4 ha", "healthy"),
        ("Chapel field", "Silvaner", "loam", "0.9 ha", "mildew"),
        ("River terrace", "Pinot Noir", "gravel", "2.2 ha", "netted"),
        ("Old quarry", "Kerner", "limestone", "0.3 ha", "replant"),
        ("Monk's corner", "Dornfelder", "clay", "1.1 ha", "pruned"),
        ("Station road", "Muscat", "sand", "0.6 ha", "frost bite"),
    ]
    analysis = form(
        (
            ("Must weight", "92 degrees"),
            ("Acidity", "7.8 grams"),
            ("Yeast strain", ["Wild ferment"]),
            ("Container", ["Oak, used twice"]),
            ("Cellar hand", "Benedikt"),
        )
    )
    tabs = QTabWidget()
    tabs.addTab(
        box(analysis, QCheckBox("Cold maceration"), QCheckBox("Organic seal"), vertical=True), "Analysis"
    )
    for title in ("Weather log", "Labour", "Sales"):
        tabs.addTab(QWidget(), title)
    foot = box(
        button("Book entry", "#6a1b4d"),
        button("Take sample"),
        button("Discard lot", "#b3541e"),
        button("Certify", off=True),
    )
    grid = table(["Parcel", "Grape", "Soil", "Area", "Condition"], rows)
    window.setCentralWidget(box(box(grid, tabs), foot, vertical=True))
    window.statusBar().addWidget(QLabel("Harvest begins on 19 September"))
    window.statusBar().addWidget(QLabel("Press serviced"))
    window.resize(960, 440)
    return window, "Vintage"


RATIO = {"pixels": 1.0}  # for each unit of Qt's


def on_screen(widget, rect):
    corner = widget.mapToGlobal(QPoint(0, 0)) + rect.topLeft()
    return [round(value * RATIO["pixels"]) for value in (corner.x(), corner.y(), rect.width(), rect.height())]


def entry(widget, words, rect, kind, control=None):
    found = {"text": words.replace("&", ""), "box": on_screen(widget, rect), "kind": kind}
    return found | ({"control": on_screen(widget, control)} if control is not None else {})


def written(widget, words, room, align):
    size = widget.fontMetrics().size(0, words)
    return QStyle.alignedRect(Qt.LeftToRight, Qt.Alignment(align), size.boundedTo(room.size()), room)


def of_button(widget):
    whole = widget.rect()
    if isinstance(widget, (QCheckBox, QRadioButton)):
        style = widget.style()
        indicator = style.pixelMetric(QStyle.PM_IndicatorWidth) + style.pixelMetric(
            QStyle.PM_CheckBoxLabelSpacing
        )
        room = whole.adjusted(indicator, 0, 0, 0)
        yield entry(
            widget,
            widget.text(),
            written(widget, widget.text(), room, Qt.AlignLeft | Qt.AlignVCenter),
            "tick",
            whole,
        )
    elif widget.text():
        yield entry(
            widget, widget.text(), written(widget, widget.text(), whole, Qt.AlignCenter), "button", whole
        )


def of_table(view):
    port = view.viewport()
    header = view.horizontalHeader()
    for x in range(view.columnCount()):
        title = view.horizontalHeaderItem(x).text()
        room = QRect(header.sectionViewportPosition(x), 0, header.sectionSize(x), header.height())
        yield entry(header.viewport(), title, written(header, title, room, Qt.AlignCenter), "header", room)
        for y in range(view.rowCount()):
            cell = view.visualItemRect(view.item(y, x))
            words = view.item(y, x).text()
            if port.rect().contains(cell):
                room = written(view, words, cell.adjusted(3, 0, -3, 0), Qt.AlignLeft | Qt.AlignVCenter)
                yield entry(port, words, room, "cell", cell)


def of_tree(view):
    header = view.header()
    for x in range(view.columnCount()):
        title = view.headerItem().text(x)
        room = QRect(header.sectionViewportPosition(x), 0, header.sectionSize(x), header.height()).adjusted(
            4, 0, 0, 0
        )
        yield entry(
            header.viewport(),
            title,
            written(header, title, room, Qt.AlignLeft | Qt.AlignVCenter),
            "header",
            room,
        )
    item = view.topLevelItem(0)
    while item is not None:
        for x in range(view.columnCount()):
            cell = view.visualRect(view.indexFromItem(item, x))
            if item.text(x) and view.viewport().rect().contains(cell):
                room = written(view, item.text(x), cell.adjusted(3, 0, 0, 0), Qt.AlignLeft | Qt.AlignVCenter)
                yield entry(view.viewport(), item.text(x), room, "item", cell)
        item = view.itemBelow(item)


def of_menu(menu):
    widest = max(
        menu.fontMetrics().size(0, action.shortcut().toString()).width() for action in menu.actions()
    )
    for action in menu.actions():
        whole = menu.actionGeometry(action)
        if not action.text() or whole.isEmpty():
            continue
        bar = isinstance(menu, QMenuBar)
        beside = 10 if menu.style().objectName() == "fusion" else 0  # the room for ticks and icons
        inset = 0 if bar else menu.fontMetrics().height() + beside
        align = Qt.AlignCenter if bar else Qt.AlignLeft | Qt.AlignVCenter
        yield entry(
            menu,
            action.text(),
            written(menu, action.text(), whole.adjusted(inset, 0, 0, 0), align),
            "menu",
            whole,
        )
        keys = action.shortcut().toString()
        if keys and not bar:
            room = written(
                menu,
                keys,
                whole.adjusted(whole.width() - widest - 16, 0, 0, 0),
                Qt.AlignLeft | Qt.AlignVCenter,
            )
            yield entry(menu, keys, room, "menu", whole)


def of_field(widget):
    words = widget.text() if isinstance(widget, QLineEdit) else widget.currentText()
    if words:
        room = written(
            widget,
            words,
            widget.rect().adjusted(3 if isinstance(widget, QLineEdit) else 6, 0, -3, 0),
            Qt.AlignLeft | Qt.AlignVCenter,
        )
        yield entry(widget, words, room, "field", widget.rect())


def of_tabs(widget):
    bar = widget.tabBar()
    for number in range(bar.count()):
        whole = bar.tabRect(number)
        yield entry(
            bar, bar.tabText(number), written(bar, bar.tabText(number), whole, Qt.AlignCenter), "tab", whole
        )


def of_group(widget):
    room = QRect(0, 0, widget.width(), widget.fontMetrics().height() + 4).adjusted(2, 0, 0, 0)
    yield entry(
        widget, widget.title(), written(widget, widget.title(), room, Qt.AlignLeft | Qt.AlignTop), "heading"
    )


def of_label(widget):
    if widget.text():
        yield entry(
            widget,
            widget.text(),
            written(widget, widget.text(), widget.contentsRect(), widget.alignment()),
            "label",
        )


KINDS = (
    (QTabWidget, of_tabs),
    (QTableWidget, of_table),
    (QTreeWidget, of_tree),
    (QMenuBar, of_menu),
    (QToolButton, of_button),
    (QAbstractButton, of_button),
    (QLineEdit, of_field),
    (QComboBox, of_field),
    (QGroupBox, of_group),
    (QLabel, of_label),
)


def texts(window):
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and not isinstance(widget, QMenu):
            reader = next((reader for kind, reader in KINDS if isinstance(widget, kind)), None)
            if reader is not None:
                yield from reader(widget)


def dark(application):
    palette = QPalette()
    for role, colour in (
        (QPalette.Window, "#2d2f33"),
        (QPalette.WindowText, "#e6e6e6"),
        (QPalette.Base, "#1d1f22"),
        (QPalette.Text, "#e6e6e6"),
        (QPalette.Button, "#3a3d42"),
        (QPalette.ButtonText, "#e6e6e6"),
        (QPalette.Highlight, "#3d6fb4"),
        (QPalette.HighlightedText, "#ffffff"),
    ):
        palette.setColor(role, QColor(colour))
    for role in (QPalette.Text, QPalette.ButtonText, QPalette.WindowText):
        palette.setColor(QPalette.Disabled, role, QColor("#7d8087"))
    application.setPalette(palette)


def main():
    scene, out = sys.argv[1:]
    application = QApplication(sys.argv)
    application.setStyle(os.environ.get("STYLE", "Fusion"))
    if "FONT" in os.environ:
        family, size = os.environ["FONT"].rsplit(" ", 1)
        application.setFont(QFont(family, int(size)))
    application.setCursorFlashTime(0)
    if "DARK" in os.environ:
        dark(application)
    window, opened = globals()[scene]()
    window.move(40, 40)
    window.show()
    RATIO["pixels"] = window.devicePixelRatioF()
    menu = next(action.menu() for action in window.menuBar().actions() if action.text() == opened)

    def open_menu():
        bar = window.menuBar()
        place = bar.actionGeometry(menu.menuAction())
        menu.popup(bar.mapToGlobal(place.bottomLeft()))

    def tell():
        found = list(texts(window))
        if menu.isVisible():
            cover = QRect(menu.mapToGlobal(QPoint(0, 0)), menu.size())
            whole = QRect(*[round(value * RATIO["pixels"]) for value in cover.getRect()])
            found = [one for one in found if not QRect(*one["box"]).intersects(whole)] + list(of_menu(menu))
        with open(out + ".part", "w") as file:
            json.dump(found, file)
        os.replace(out + ".part", out)

    if "CLOSED" not in os.environ:
        QTimer.singleShot(1500, open_menu)
    QTimer.singleShot(3500, tell)
    application.exec_()


main()
