
"use strict";
// Headings of columns become buttons that sort; without this script the tables stay as they are.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const text = (row, column) => row.cells[column].textContent.trim();
  const number = (cell) => (/^(|–)$/.test(cell) ? NaN : Number(cell.replace(/,| %$|^< /g, "")));
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      const rows = [...body.rows].map((row) => [text(row, column), row]);
      const numeric = rows.every(([cell]) => /^(|–)$/.test(cell) || !isNaN(number(cell)));
      rows.sort(([a], [b]) => {
        if (!numeric) return sign * a.localeCompare(b, undefined, { numeric: true });
        const [x, y] = [number(a), number(b)];
        // What has no number comes last.
        return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
      });
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      body.append(...rows.map(([, row]) => row));
    });
  });
}
// Tables that do not fit say so.
const frames = [...document.querySelectorAll(".scroll")];
const mark = () => frames.forEach((frame) => frame.classList.toggle("wide", frame.scrollWidth > frame.clientWidth));
addEventListener("resize", mark);
mark();
