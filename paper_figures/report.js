// Filters the claims by verdict and paper. The choice stands in the address, so that a filtered page can be shared.
const filter = document.getElementById("filter");
const claims = [...document.querySelectorAll("table.claims tbody tr")];

function show() {
  const chosen = Object.fromEntries([...new FormData(filter)].filter(([, value]) => value));
  const filtered = Object.keys(chosen).length > 0;
  for (const claim of claims) {
    const { paper } = claim.closest("section").dataset;
    claim.hidden = (chosen.verdict ?? claim.dataset.verdict) !== claim.dataset.verdict || (chosen.paper ?? paper) !== paper;
  }
  for (const chapter of document.querySelectorAll("main > section")) {
    chapter.hidden = filtered && !chapter.querySelector("tr[data-verdict]:not([hidden])");
    for (const part of chapter.querySelectorAll("details")) part.open = !chosen.verdict;
  }
  filter.querySelector("output").value = `${claims.filter((claim) => !claim.hidden).length} of ${claims.length}`;
  filter.querySelector("button").hidden = !filtered;
  const query = new URLSearchParams(chosen).toString();
  history.replaceState(null, "", location.pathname + (query && `?${query}`) + location.hash);
}

function clear() {
  filter.reset();
  show();
}

// What a link names is shown, whatever is filtered or folded away.
function reveal() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target.closest("[hidden]")) clear();
  const folded = target.closest("details");
  if (folded) folded.open = true;
  target.scrollIntoView();
}

for (const choice of filter.querySelectorAll("select")) {
  choice.value = new URLSearchParams(location.search).get(choice.name) ?? "";
  if (choice.selectedIndex < 0) choice.selectedIndex = 0;
}
filter.hidden = false;
filter.addEventListener("change", show);
filter.querySelector("button").addEventListener("click", clear);
addEventListener("hashchange", reveal);
show();
reveal();
