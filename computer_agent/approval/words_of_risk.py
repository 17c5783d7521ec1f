"""Words on buttons and in menus that announce what is not easily taken back, in the languages people use most.

The list is our own: what such buttons say in the programs and shops that we know. A word counts whole, in any case,
anywhere in a name: "Delete all" and "Alle löschen" both do.
"""

from __future__ import annotations

import re
import unicodedata

_WORDS = """
delete remove erase format discard overwrite replace wipe clear reset uninstall trash shred
pay buy order purchase checkout subscribe donate transfer withdraw bid book reserve
send submit post publish reply forward share tweet upload merge push deploy
confirm accept agree sign allow grant authorize authorise approve install enable disable unsubscribe
shutdown restart reboot hibernate suspend logout
löschen entfernen verwerfen überschreiben ersetzen zurücksetzen formatieren deinstallieren leeren
bezahlen zahlen kaufen bestellen überweisen buchen spenden
senden absenden abschicken veröffentlichen teilen antworten weiterleiten hochladen
bestätigen annehmen akzeptieren zustimmen erlauben zulassen unterschreiben installieren
kündigen herunterfahren neustarten abmelden
supprimer effacer formater écraser remplacer réinitialiser désinstaller vider
payer acheter commander réserver virer
envoyer publier partager répondre transférer téléverser
confirmer accepter autoriser signer installer désabonner éteindre redémarrer déconnexion
eliminar borrar quitar sobrescribir reemplazar restablecer formatear desinstalar vaciar
pagar comprar pedir reservar transferir donar
enviar publicar compartir responder reenviar subir
confirmar aceptar permitir autorizar firmar instalar apagar reiniciar
elimina cancella rimuovi sovrascrivi sostituisci formatta svuota disinstalla
paga compra acquista ordina prenota invia pubblica condividi rispondi inoltra conferma accetta consenti firma installa
excluir apagar remover sobrescrever substituir formatar esvaziar
comprar encomendar enviar publicar compartilhar partilhar confirmar aceitar permitir assinar instalar desligar
verwijderen wissen overschrijven vervangen leegmaken betalen kopen bestellen boeken
verzenden versturen publiceren delen bevestigen accepteren toestaan ondertekenen installeren
usuń skasuj wyczyść nadpisz zastąp zapłać kup zamów wyślij opublikuj udostępnij potwierdź akceptuj zezwól zainstaluj
удалить стереть очистить заменить форматировать оплатить купить заказать отправить опубликовать поделиться
подтвердить принять разрешить подписать установить выключить перезагрузить
sil kaldır temizle değiştir öde satın gönder yayınla paylaş onayla kabul izin yükle
"""
# Written without spaces, so that they count wherever they stand.
_UNSPACED = """
删除 移除 清空 格式化 覆盖 替换 支付 付款 购买 下单 订购 转账 发送 提交 发布 分享 确认 同意 接受 允许 授权 安装
卸载 关机 重启
刪除 清除 覆寫 取代 購買 下訂 轉帳 傳送 送出 發佈 確認 接受 允許 安裝
削除 消去 初期化 上書き 置換 支払 購入 注文 予約 送信 投稿 公開 共有 確定 同意 許可 承認 署名
インストール シャットダウン 再起動
삭제 제거 지우기 초기화 덮어쓰기 결제 구매 주문 예약 이체 보내기 전송 제출 게시 공유 확인 동의 허용 승인 설치 종료
"""
_LETTERS = re.compile(r"[^\W\d_]+")


def _folded(text: str) -> str:
    """Without case and without accents, which many a label leaves out."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


_KNOWN = frozenset(_folded(_WORDS).split())
_PHRASES = (
    "shut down",
    "log out",
    "sign out",
    "factory reset",
    "empty trash",
    "place order",
    "move to trash",
)


def risky_word(text: str) -> str | None:
    """The first word or phrase in a name that announces such a thing, as it stands there; None when there is none."""
    folded = _folded(text)
    for phrase in _PHRASES:
        if phrase in folded:
            return phrase
    for found in _LETTERS.finditer(text):
        if _folded(found[0]) in _KNOWN:
            return found[0]
    return next((word for word in _UNSPACED.split() if word in text), None)
