// On paper: the run, and every row that is shown with what is known of it; the picture of the chosen one.
function drawPrint() {
  const row = chosen(), frame = row && (frameOf(row, "after") ?? frameOf(row, "before"));
  const picture = frame && image(frame.picture, "", {decoding: "sync"});
  $("print").replaceChildren(
    make("h1", {}, run.task || "A run of oi"),
    make("p", {}, [run.ending || "no end", run.words, run.model, run.desktop, run.screen, new Date(run.began * 1000).toLocaleString(), seconds(total)].filter(Boolean).join(" · ")),
    ...run.notes.map(note => make("p", {}, `! ${note}`)),
    ...(picture ? [make("figure", {}, picture, make("figcaption", {}, `Step ${label(row)}`))] : []),
    ...state.shown.map(index => make("article", {}, make("p", {}, `${statusOf(rows[index])[0]} ${asText(rows[index])}`))));
}

function startPrint() {
  addEventListener("beforeprint", drawPrint);
  addEventListener("afterprint", () => $("print").replaceChildren());
}
