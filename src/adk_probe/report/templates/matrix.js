// The page can be read without this: it filters the table of claims, and opens the evidence that a link leads to.
for (const form of document.querySelectorAll("form.filters")) {
  const rows = document.querySelectorAll(`#${CSS.escape(form.dataset.table)} tbody tr`);
  const count = form.querySelector("output");
  const filter = () => {
    const wanted = form.elements.text.value.trim().toLowerCase();
    const only = form.elements.only.checked;
    let shown = 0;
    for (const row of rows) {
      const fits = row.firstElementChild.textContent.toLowerCase().includes(wanted) && (!only || row.dataset.sound !== "yes");
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = `${shown} of ${rows.length} shown`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
}
const reveal = () => {
  const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!place) return;
  for (let box = place.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  place.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
