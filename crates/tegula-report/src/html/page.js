"use strict";
(() => {
  // A link to a pair opens it.
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
  // A command is copied.
  for (const button of document.querySelectorAll("button[data-copies]")) {
    const text = document.getElementById(button.dataset.copies);
    const name = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = name; }, 1500);
    });
  }
  // The contents show where one is.
  const links = new Map([...document.querySelectorAll(".contents a")].map(link => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver(seen => {
    for (const { target, isIntersecting } of seen) {
      const link = links.get(target.id);
      if (isIntersecting) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-15% 0px -80% 0px" });
  for (const id of links.keys()) watch.observe(document.getElementById(id));
  // The search box shows the rows that hold what is typed.
  for (const box of document.querySelectorAll("input[data-filters]")) {
    const table = document.getElementById(box.dataset.filters);
    const said = document.getElementById(box.dataset.filters + "-said");
    if (!table) continue;
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map(row => row.textContent.toLowerCase());
    const ids = rows.map(row => row.cells[0].textContent.toLowerCase());
    let timer;
    const filter = () => {
      const wanted = box.value.trim().toLowerCase();
      // An id that is typed whole stands alone, even where others begin with it.
      const whole = wanted !== "" && ids.includes(wanted);
      let shown = 0;
      rows.forEach((row, at) => {
        row.hidden = whole ? ids[at] !== wanted : !texts[at].includes(wanted);
        if (!row.hidden) shown++;
      });
      if (said) said.textContent = wanted === "" ? "" : shown + (shown === 1 ? " row" : " rows");
    };
    box.closest(".search").hidden = false;
    box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(filter, 80); });
  }
})();
