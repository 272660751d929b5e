
(() => {
  // Pairs to judge are shown one by one; answers are kept in the browser, and saved as a file.
  const all = document.getElementById("judge");
  if (!all) return;
  const pairs = [...all.querySelectorAll("article")];
  const bar = document.getElementById("judge-bar");
  const said = document.getElementById("judge-said");
  const kept = "tegula-judge-" + all.dataset.key;
  const labels = {y: "1", n: "0", "?": "?"};
  let at = 0;
  let saved = true;
  const keep = () => {
    const answers = Object.fromEntries(pairs.filter(pair => pair.dataset.label).map(pair => [pair.id, pair.dataset.label]));
    try { localStorage.setItem(kept, JSON.stringify(answers)); } catch { }
  };
  try {
    const answers = JSON.parse(localStorage.getItem(kept) || "{}");
    for (const pair of pairs) if (["1", "0", "?"].includes(answers[pair.id])) pair.dataset.label = answers[pair.id];
  } catch { }
  const count = () => pairs.filter(pair => pair.dataset.label).length;
  const show = (to, jump) => {
    at = Math.max(0, Math.min(pairs.length - 1, to));
    pairs.forEach((pair, place) => { pair.hidden = place !== at; });
    const label = pairs[at].dataset.label;
    for (const button of bar.querySelectorAll("button[data-answer]"))
      button.setAttribute("aria-pressed", String(labels[button.dataset.answer] === label));
    const answered = count();
    said.textContent = "Pair " + (at + 1) + " of " + pairs.length + "; " + answered + " answered" +
      (answered === pairs.length ? ". Save the answers now." : saved ? "" : ", not saved to a file yet");
    bar.querySelector("[data-go='-1']").disabled = at === 0;
    bar.querySelector("[data-go='1']").disabled = at === pairs.length - 1;
    if (jump) all.scrollIntoView();
  };
  const answer = key => {
    pairs[at].dataset.label = labels[key];
    saved = false;
    keep();
    // The next that has no answer, else the next.
    const open = pairs.findIndex((pair, place) => place > at && !pair.dataset.label);
    show(open >= 0 ? open : at + 1, true);
  };
  const save = () => {
    const line = pair => JSON.stringify({id_a: JSON.parse(pair.dataset.a), id_b: JSON.parse(pair.dataset.b), label: pair.dataset.label}) + "\n";
    const text = pairs.filter(pair => pair.dataset.label).map(line).join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type: "application/x-ndjson"}));
    link.download = "answers.jsonl";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    saved = true;
    show(at, false);
  };
  bar.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.answer) answer(button.dataset.answer);
    else if (button.dataset.go) show(at + Number(button.dataset.go), true);
    else save();
  });
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in labels) answer(event.key);
    else if (event.key === "ArrowLeft") show(at - 1, true);
    else if (event.key === "ArrowRight") show(at + 1, true);
    else return;
    event.preventDefault();
  });
  addEventListener("beforeunload", event => { if (!saved) event.preventDefault(); });
  bar.hidden = false;
  const open = pairs.findIndex(pair => !pair.dataset.label);
  show(open >= 0 ? open : 0, false);
})();
