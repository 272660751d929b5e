(() => {
  // A text is sent to the server, and what resembles it is shown beside it.
  const form = document.getElementById("ask");
  if (!form) return;
  const at = name => document.getElementById("ask-" + name);
  const [text, said, matches] = ["text", "said", "matches"].map(at);
  const keepsTexts = form.hasAttribute("data-texts");
  const tokenKey = "tegula-token";
  // What is shown was asked last, however late an earlier answer comes.
  let asked = 0;
  let shown = null;

  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  // Characters that would not be seen, or would order others, are shown as escapes.
  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  const visible = some => some.replace(/\r\n?/g, "\n").replace(hidden, char => "\\u{" + char.codePointAt(0).toString(16) + "}");
  const count = number => number.toLocaleString("en");
  const plural = (number, noun, nouns = noun + "s") => count(number) + " " + (number === 1 ? noun : nouns);
  const say = (sentence, isError = false) => {
    said.textContent = sentence;
    said.classList.toggle("missing", isError);
  };

  const request = async (path, body) => {
    const headers = {};
    const token = at("secret").value || sessionStorage.getItem(tokenKey);
    if (token) headers.Authorization = "Bearer " + token;
    if (body) headers["Content-Type"] = "application/json";
    const response = await fetch(path, {method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body)});
    const answer = await response.json();
    if (response.status === 401) {
      at("token").hidden = false;
      sessionStorage.removeItem(tokenKey);
      at("secret").focus();
    }
    if (!response.ok) throw new Error(answer.detail + (answer.hint ? ": " + answer.hint : ""));
    if (token) sessionStorage.setItem(tokenKey, token);
    return answer;
  };

  // The two columns show the same passage.
  const light = (both, place) => {
    const marks = both.querySelectorAll("mark");
    for (const mark of marks) {
      const isIt = mark.dataset.passage === String(place);
      mark.classList.toggle("lit", isIt);
      if (isIt) {
        const box = mark.parentElement;
        box.scrollTop = mark.offsetTop - box.clientHeight / 3;
      }
    }
  };
  // A text with its passages, which begin and end at these code points.
  const lit = (points, spans, name) => {
    const box = make("div", {tabIndex: 0, dir: "auto"});
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", name);
    const order = spans.map((span, place) => [...span, place]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const part = (from, to) => visible(points.slice(from, to).join(""));
    let done = 0;
    for (const [start, end, place] of order) {
      // Passages of the match may overlap, as one may be repeated in the text.
      const from = Math.max(start, done);
      if (from > done) box.append(part(done, from));
      const mark = make("mark", {}, part(from, Math.max(from, end)));
      mark.dataset.passage = place;
      box.append(mark);
      done = Math.max(done, end);
    }
    box.append(part(done));
    return box;
  };
  const beside = (question, found) => {
    const passages = found.passages;
    const heads = ["The text asked about", visible(found.id)];
    const columns = make("div", {className: "beside"},
      make("h3", {}, heads[0]), lit(Array.from(question), passages.map(one => [one.start_a, one.end_a]), heads[0]),
      make("h3", {className: "id"}, heads[1]), lit(Array.from(found.text), passages.map(one => [one.start_b, one.end_b]), heads[1]));
    columns.addEventListener("click", event => {
      const mark = event.target.closest("mark");
      if (mark) light(columns, mark.dataset.passage);
    });
    const where = make("span", {}, plural(passages.length, "shared passage"));
    where.setAttribute("aria-live", "polite");
    let place = -1;
    const step = by => () => {
      place = (place + by + passages.length) % passages.length;
      where.textContent = "Passage " + count(place + 1) + " of " + count(passages.length) + ", " + plural(passages[place].tokens, "word");
      light(columns, place);
    };
    const button = (label, name, by) => {
      const made = make("button", {type: "button", onclick: step(by)}, label);
      made.setAttribute("aria-label", name);
      return made;
    };
    const steps = make("div", {className: "steps"});
    if (passages.length) steps.append(button("\u2190", "Previous passage", -1), button("\u2192", "Next passage", 1));
    steps.append(where, make("a", {href: "#like=" + encodeURIComponent(found.id)}, "Find texts like this one"));
    return [steps, columns];
  };
  const known = ["id", "score", "shared", "text", "passages"];
  const entry = (question, found, isFirst) => {
    const summary = make("summary", {},
      make("span", {className: "score"}, (100 * found.score).toFixed(found.score === 1 ? 0 : 1) + " %"),
      make("span", {className: "id"}, visible(found.id)));
    for (const [name, value] of Object.entries(found))
      if (!known.includes(name) && value !== null) summary.append(make("span", {className: "field"}, visible(name + ": " + value)));
    const inside = make("div", {className: "inside"});
    const details = make("details", {className: "match"}, summary, inside);
    // The columns of a match are made when it is opened.
    details.addEventListener("toggle", () => {
      if (details.open && !inside.hasChildNodes())
        inside.append(...(keepsTexts ? beside(question, found) : ["The index keeps no texts, so there is nothing to show beside it."]));
    });
    details.open = isFirst;
    return details;
  };

  const ask = async (nearest = false) => {
    const question = text.value.toWellFormed ? text.value.toWellFormed() : text.value;
    if (!question.trim()) {
      say("Paste a text first.");
      text.focus();
      return;
    }
    const body = {text: question, passages: keepsTexts, include_text: keepsTexts};
    const least = at("least").valueAsNumber;
    body.top = at("top").valueAsNumber || 10;
    if (!nearest) body.threshold = Number.isFinite(least) ? least : Number(form.dataset.threshold);
    const turn = ++asked;
    const begun = performance.now();
    form.setAttribute("aria-busy", "true");
    say("Asking\u2026");
    try {
      const answer = await request("query", body);
      if (turn !== asked) return;
      const {matches: all, more} = answer;
      const time = Math.max(1, Math.round(performance.now() - begun));
      matches.replaceChildren(...all.map((found, place) => entry(question, found, place === 0)));
      const what = all.length === 0 ? (nearest ? "Nothing in the index shares anything with it" : "Nothing in the index resembles it")
        : (nearest ? "The nearest: " : "") + plural(all.length, "match", "matches") + (more ? ", and there are more" : "");
      say(what + ". " + count(time) + " ms.");
      shown = {question, nearest};
      at("link").hidden = false;
      at("nearest").hidden = nearest || all.length > 0;
      at("link").textContent = "Copy a link to this result";
      // On a small screen the answer is below the question.
      if (matches.getBoundingClientRect().top > innerHeight - 120) document.getElementById("matches").scrollIntoView();
    } catch (error) {
      if (turn === asked) say(error.message, true);
    } finally {
      if (turn === asked) form.removeAttribute("aria-busy");
    }
  };

  // A link has the text itself, compressed: the server stores nothing.
  const longest = 30000;
  const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  const packed = async some => {
    const bytes = await through(new TextEncoder().encode(some), new CompressionStream("deflate-raw"));
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  };
  const unpacked = async some => {
    const binary = atob(some.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(Uint8Array.from(binary, char => char.charCodeAt(0)), new DecompressionStream("deflate-raw"));
    return new TextDecoder().decode(bytes);
  };
  const link = async () => {
    const parts = new URLSearchParams({text: await packed(shown.question), top: at("top").value});
    if (at("least").value) parts.set("least", at("least").value);
    if (shown.nearest) parts.set("nearest", "1");
    return "#" + parts;
  };
  const follow = async () => {
    const parts = new URLSearchParams(location.hash.slice(1));
    try {
      if (parts.has("like")) {
        const kept = await request("texts/" + encodeURIComponent(parts.get("like").replace(/#[ps]\d+$/, "")));
        if (kept.text === null) throw new Error("The index keeps no texts.");
        text.value = kept.text;
      } else if (parts.has("text")) {
        text.value = await unpacked(parts.get("text"));
      } else return;
      for (const name of ["top", "least"]) if (parts.has(name)) at(name).value = parts.get(name);
      await ask(parts.has("nearest"));
    } catch (error) {
      say(error.name === "Error" ? error.message : "This link is damaged.", true);
    }
  };
  at("link").addEventListener("click", async () => {
    const to = await link();
    if (to.length > longest) {
      at("link").textContent = "Too long for a link";
      return;
    }
    history.replaceState(null, "", to);
    try {
      await navigator.clipboard.writeText(location.href);
      at("link").textContent = "Copied";
    } catch {
      at("link").textContent = "The link is in the address bar";
    }
  });
  at("nearest").addEventListener("click", () => ask(true));

  const open = async file => {
    if (!file) return;
    text.value = await file.text();
    ask();
  };
  at("open").addEventListener("click", () => at("file").click());
  at("file").addEventListener("change", () => open(at("file").files[0]));
  for (const kind of ["dragover", "dragleave", "drop"])
    text.addEventListener(kind, event => {
      const isFile = event.dataTransfer && [...event.dataTransfer.types].includes("Files");
      if (!isFile) return;
      event.preventDefault();
      text.classList.toggle("over", kind === "dragover");
      if (kind === "drop") open(event.dataTransfer.files[0]);
    });
  form.addEventListener("submit", event => { event.preventDefault(); ask(); });
  form.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
  });
  addEventListener("hashchange", follow);
  follow();
  fetch("health").then(response => response.json()).then(health => {
    at("texts").textContent = plural(health.texts, "text");
    at("token").hidden = !health.needs_token || sessionStorage.getItem(tokenKey) !== null;
  }).catch(() => {});
})();
