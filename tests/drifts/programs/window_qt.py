"""A scene as a Qt 5 window: window_qt.py SCENE JOURNAL PLACES."""

import sys

from PyQt5.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PyQt5.QtGui import QColor, QFont, QPalette
from PyQt5.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from telling import Telling

told = Telling()
scene = told.scene
application = QApplication(sys.argv[:1])
application.setStyle("Fusion")
application.setFont(QFont("DejaVu Sans", scene["font"]))
application.setCursorFlashTime(0)
if scene["dark"]:
    palette = QPalette()
    for role, colour in (
        (QPalette.Window, "#2b2b2b"),
        (QPalette.Base, "#3c3c3c"),
        (QPalette.Button, "#454545"),
        (QPalette.WindowText, "#eeeeee"),
        (QPalette.Text, "#eeeeee"),
        (QPalette.ButtonText, "#eeeeee"),
    ):
        palette.setColor(role, QColor(colour))
    application.setPalette(palette)
window = QMainWindow()
window.setWindowTitle(scene["title"])
placed = {}
listed = {}
said = QLabel("")


class Touched(QObject):
    """Tells that a field was pressed with the mouse."""

    def eventFilter(self, widget, event):  # noqa: N802 - Qt's name
        if event.type() == QEvent.MouseButtonPress:
            told.touch(widget.objectName())
        return False


touched = Touched()


def identified(widget, name):
    widget.setObjectName(name)
    placed[name] = widget
    return widget


def pressed(name):
    told.press(name)
    if scene["closes"] == name:
        window.close()
        return
    said.setText(scene["says"].get(name, "Done: " + name))


def add_field(grid, item, row):
    label = QLabel(item["label"])
    entry = identified(QLineEdit(), item["id"])
    label.setBuddy(entry)
    told.values[item["id"]] = ""
    entry.installEventFilter(touched)
    entry.textChanged.connect(lambda text: told.value(item["id"], text))
    grid.addWidget(label, row, 0)
    grid.addWidget(entry, row, 1)


def add_tick(grid, item, row):
    tick = identified(QCheckBox(item["label"]), item["id"])
    told.values[item["id"]] = False
    tick.toggled.connect(lambda on: told.value(item["id"], on))
    grid.addWidget(tick, row, 0, 1, 2)


def add_buttons(grid, item, row):
    line = QHBoxLayout()
    if item.get("text"):
        words = QLabel(item["text"])
        words.setMinimumWidth(160)
        line.addWidget(words)
    for name, label in item["of"]:
        made = identified(QPushButton(label), name)
        made.clicked.connect(lambda _, name=name: pressed(name))
        line.addWidget(made)
    line.addStretch()
    grid.addLayout(line, row, 0, 1, 2)


def add_list(grid, item, row):
    rows = QListWidget()
    for name, label in item["of"]:
        rows.addItem(label)
        listed[name] = (rows, rows.count() - 1)
    rows.itemClicked.connect(lambda line: pressed(item["of"][rows.row(line)][0]))
    grid.addWidget(rows, row, 0, 1, 2)


def add_menu(grid, item, row):
    menu = window.menuBar().addMenu(item["label"])
    for name, label in item["of"]:
        menu.addAction(label).triggered.connect(lambda _, name=name: pressed(name))


def add_note(grid, item, row):
    grid.addWidget(QLabel(item["text"]), row, 0, 1, 2)


ADD = {
    "field": add_field,
    "tick": add_tick,
    "buttons": add_buttons,
    "list": add_list,
    "menu": add_menu,
    "note": add_note,
}


def build():
    body = QWidget()
    grid = QGridLayout(body)
    for row, item in enumerate(scene["items"]):
        ADD[item["kind"]](grid, item, row)
    grid.addWidget(said, len(scene["items"]), 0, 1, 2)
    grid.setRowStretch(len(scene["items"]) + 1, 1)
    window.setCentralWidget(body)
    if scene["dialog"]:
        QTimer.singleShot(150, interrupt)


def interrupt():
    asked = QDialog(window)
    asked.setWindowTitle(scene["dialog"])
    layout = QVBoxLayout(asked)
    layout.setContentsMargins(40, 40, 40, 40)
    layout.addWidget(QLabel("A new version can be installed."))
    later = QPushButton("Later")
    later.clicked.connect(lambda: told.press("dialog"))
    layout.addWidget(later)
    asked.setWindowModality(Qt.WindowModal)
    asked.show()


def place():
    ratio = window.devicePixelRatioF()
    found = {}
    for name, widget in placed.items():
        if widget.isVisible():
            corner = widget.mapTo(window, QPoint(0, 0))
            found[name] = [corner.x(), corner.y(), widget.width(), widget.height()]
    for name, (rows, at) in listed.items():
        box = rows.visualItemRect(rows.item(at))
        corner = rows.viewport().mapTo(window, box.topLeft())
        found[name] = [corner.x(), corner.y(), box.width(), box.height()]
    if window.menuBar().actions():
        action = window.menuBar().actions()[0]
        box = window.menuBar().actionGeometry(action)
        corner = window.menuBar().mapTo(window, box.topLeft())
        found["menu"] = [corner.x(), corner.y(), box.width(), box.height()]
    told.place({name: [round(one * ratio) for one in box] for name, box in found.items()})


window.resize(*scene["size"])
window.show()
if scene["late"]:
    QTimer.singleShot(round(scene["late"] * 1000), build)
else:
    build()
timer = QTimer()
timer.timeout.connect(place)
timer.start(100)
application.exec_()
