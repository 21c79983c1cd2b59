// The table of all contenders and workloads. Its keyboard operation follows ARIA's grid: one cell is in the tab order,
// the arrow keys move to other cells, and Enter opens the trials of a cell.

const matrix = {filter: fromAddress("filter", ""), metrics: "headline", show: "ratio", verdicts: "all", floors: isBoxed("floors", false),
  byContender: null, byRow: null, ascending: false};

function matrixColumns() {
  const hasResult = ({name}) => workloads.some((workload) => cells.get(workload).has(name));
  return shownContenders().filter((each) => (matrix.floors || each.family !== "floor") && hasResult(each));
}

function matrixRows() {
  const words = matrix.filter.toLowerCase().split(/\s+/).filter(Boolean);
  return workloads.filter((name) => words.every((word) => name.toLowerCase().includes(word)))
    .flatMap((workload) => {
      const has = metricsOf(workload);
      const chosen = matrix.metrics === "headline" ? primaryMetricOf(workload)
        : matrix.metrics === "all" ? has : has.filter((name) => name === matrix.metrics);
      return chosen.map((metric) => ({workload, metric, family: workload.split("/")[0]}));
    }).filter((row) => matrix.verdicts === "all" ||
      matrixColumns().some(({name}) => isWanted(find(row.workload, name, row.metric))));
}

function isWanted(result) {
  if (matrix.verdicts === "all") return true;
  if (!result || !result.verdict) return false;
  return matrix.verdicts === "different" ? ["faster", "slower"].includes(result.verdict)
    : result.verdict === matrix.verdicts;
}

// Returns the contender's result for the row's metric. If it has no such result, returns its result for time, which contains
// the status (for example `failed`).
function resultAt(row, contender) {
  return find(row.workload, contender, row.metric) || find(row.workload, contender, "time");
}

function rankOf(row, contender) {
  const result = find(row.workload, contender, row.metric);
  if (!result || result.median === null) return -Infinity;
  if (result.ratio && result.ratio.median !== null) return result.ratio.median;
  return contender === baseline ? 1 : result.direction === "larger" ? result.median : 1 / Math.max(result.median, 1e-12);
}

const statusWords = {unsupported: "–", failed: "failed", not_run: "not run"};

function cellText(result, row, contender) {
  if (result.metric !== row.metric) return [result.status === "ok" ? "–" : statusWords[result.status], ""];
  if (result.median === null) return [statusWords[result.status] || "–", ""];
  if (matrix.show === "floor")
    return result.floor ? [`${quotient(result.floor.median)}×`, interval(result.floor, quotient)] : ["–", ""];
  if (matrix.show === "before") {
    const before = findBefore(result);
    return before && before.median !== null ? [humanOf(before), interval(before, (value) => humanOf(before, value))] : ["–", ""];
  }
  if (result.maxOf !== null) return [humanOf(result), maximumText(result)];
  const undecided = result.ratio && result.contender !== baseline ? verdictMarks.inconclusive : null;
  const shown = verdictMarks[result.verdict] || undecided;
  const mark = shown ? `\u2009${shown}` : "";
  if (matrix.show === "value" || !result.ratio)
    return [humanOf(result) + (matrix.show === "value" ? "" : mark), interval(result, (value) => humanOf(result, value))];
  return [quotient(result.ratio.median) + mark, interval(result.ratio, quotient)];
}

function strength(result) {
  const distance = Math.abs(Math.log(result.ratio?.median || 1));
  return distance < 0.1 ? 1 : distance < 0.5 ? 2 : 3;
}

function sentenceOf(result, row, contender) {
  const where = `${contender}, ${row.workload}, ${titleOf(row.metric)}: `;
  if (result.metric !== row.metric || result.median === null)
    return where + (result.reason || (result.metric !== row.metric ? "this metric is missing" : result.status));
  if (result.maxOf !== null) return `${where}${humanOf(result)}, ${maximumText(result)}`;
  const ratio = result.ratio && result.ratio.median !== null
    ? `; ${quotient(result.ratio.median)} times as good as ${result.ratio.to}`
    : result.difference ? `; ${differenceText(result)} to ${result.difference.to}` : "";
  return `${where}${humanOf(result)}${ratio}${result.verdict ? `; ${verdictWord(result)}` : ""}`;
}

function matrixCell(row, contender) {
  const result = resultAt(row, contender);
  if (!result) return el("td", {role: "gridcell", tabindex: "-1", class: "none",
    "aria-label": `${contender}, ${row.workload}: not in this report`}, "");
  const [value, range] = cellText(result, row, contender);
  const isJudged = matrix.show === "ratio" && result.metric === row.metric && result.verdict && result.maxOf === null;
  const names = [isJudged ? `${result.verdict} strength-${strength(result)}` : "",
    contender === baseline ? "baseline" : "", isWanted(result) ? "" : "dim",
    result.status === "failed" ? "failed" : ""];
  const cell = el("td", {role: "gridcell", tabindex: "-1", class: names.join(" ").trim() || null,
    "aria-label": sentenceOf(result, row, contender)}, value, range && el("small", {}, range));
  cell.result = result;
  return cell;
}

function rowHeading(row, isRepeated) {
  const key = `${row.workload}\n${row.metric}`;
  const isSorted = matrix.byRow === key;
  return el("th", {scope: "row", class: isRepeated ? "again" : null},
    el("button", {type: "button", title: "Sort the columns by this row", "aria-pressed": String(isSorted),
      "data-key": `row ${key}`, onclick: () => {
      matrix.byRow = isSorted ? null : key;
      drawMatrix();
    }}, nameOf(row.workload), el("small", {title: aboutMetric(row.metric)}, `${titleOf(row.metric)}${isSorted ? " ▸" : ""}`)));
}

function columnHeading({name, family}) {
  const isSorted = matrix.byContender === name;
  const title = name === baseline ? `${name}, the baseline` : name;
  return el("th", {scope: "col", class: family, "aria-sort": isSorted ? (matrix.ascending ? "ascending" : "descending")
    : "none"},
    el("button", {type: "button", title: `Sort the rows by ${title.slice(0, 200)}`, "data-key": `column ${name}`, onclick: () => {
      if (isSorted && matrix.ascending) matrix.byContender = null;
      else if (isSorted) matrix.ascending = true;
      else [matrix.byContender, matrix.ascending] = [name, false];
      drawMatrix();
    }}, nameOf(name), name === baseline ? el("small", {}, "baseline") : null,
      isSorted ? (matrix.ascending ? " ▴" : " ▾") : null));
}

function matrixBodies(rows, columns) {
  const width = columns.length + 1;
  const count = (key) => new Set(rows.map((row) => row[key])).size;
  const groups = matrix.byContender || count("family") === count("workload") ? [["", rows]] : [...new Set(rows.map(({family}) => family))]
    .map((family) => [family, rows.filter((row) => row.family === family)]);
  return groups.map(([family, members]) => el("tbody", {},
    family && el("tr", {class: "family"}, el("th", {scope: "rowgroup", colspan: width}, el("span", {}, nameOf(family)))),
    members.map((row, i) => el("tr", {}, rowHeading(row, i > 0 && members[i - 1].workload === row.workload),
      columns.map(({name}) => matrixCell(row, name))))));
}

function drawMatrix() {
  const rows = matrixRows();
  let columns = matrixColumns().sort((a, b) => (b.name === baseline) - (a.name === baseline));
  if (matrix.byRow) {
    const [workload, metric] = matrix.byRow.split("\n");
    columns = [...columns].sort((a, b) => rankOf({workload, metric}, b.name) - rankOf({workload, metric}, a.name));
  }
  if (matrix.byContender)
    rows.sort((a, b) => (rankOf(b, matrix.byContender) - rankOf(a, matrix.byContender)) * (matrix.ascending ? -1 : 1) || 0);
  const table = el("table", {role: "grid", "aria-label": "Contenders by workload"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}),
      columns.map(columnHeading))),
    matrixBodies(rows, columns));
  table.querySelector("thead th").textContent = {ratio: isOfReports ? "ratio to before" : "ratio",
    value: isOfReports ? "after" : "value", before: "before", floor: "multiple of the fastest floor"}[matrix.show];
  table.querySelector("td")?.setAttribute("tabindex", "0");
  table.addEventListener("click", ({target}) => {
    const cell = target.closest("td");
    if (cell?.result) openTrials(cell.result);
  });
  table.addEventListener("keydown", moveInMatrix);
  const place = document.getElementById("cells-table");
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  place.replaceChildren(rows.length ? table : el("p", {}, "No workload matches this choice."));
  if (focused !== undefined)  // sorting has replaced the focused button
    [...table.querySelectorAll("button")].find((button) => button.dataset.key === focused)?.focus();
  document.getElementById("cells-count").textContent =
    `${rows.length} rows, ${columns.length} of ${contenders.length} contenders`;
}

const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

function moveInMatrix(event) {
  const cell = event.target.closest("td");
  if (!cell) return;
  if ((event.key === "Enter" || event.key === " ") && cell.result) {
    event.preventDefault();
    openTrials(cell.result);
  }
  if (!steps[event.key]) return;
  event.preventDefault();
  const rows = [...event.currentTarget.querySelectorAll("tr")].filter((row) => row.querySelector("td"));
  const column = [...cell.parentElement.children].indexOf(cell);
  const [down, right] = steps[event.key];
  const next = rows[rows.indexOf(cell.parentElement) + down]?.children[column + right];
  if (next?.tagName !== "TD") return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function addMatrix() {
  const choose = (key) => (value) => {
    matrix[key] = value;
    drawMatrix();
  };
  const filter = el("input", {type: "search", placeholder: "echo conns:1000", oninput: () => {
    toAddress("filter", filter.value, "");
    choose("filter")(filter.value);
  }});
  filter.value = matrix.filter;
  const known = Object.keys(data.metrics).filter((name) => workloads.some((one) => metricsOf(one).includes(name)));
  document.getElementById("how-to-read").textContent = isOfReports
    ? "Ratio to the value before, with its interval; above 1 is better. Choose a cell to see its trials."
    : `Ratio to ${baseline.slice(0, 200)}, with its interval; above 1 is better, for every metric. ` +
      "▲ significantly better, ▼ significantly worse, = equivalent, ? undecided. Choose a cell to see its trials.";
  const options = {
    metrics: [["headline", "primary metrics"], ["all", "all"], ...known.map((name) => [name, titleOf(name)])],
    show: [["ratio", "ratios"], ["value", isOfReports ? "values, after" : "values"],
      ...(cellsBefore.size ? [["before", "values, before"]] : []), ["floor", "multiples of the fastest floor"]],
    verdicts: [["all", "all"], ["different", "▲▼ differences"], ["inconclusive", "? undecided"],
      ["equivalent", "= equivalent"], ["slower", "▼ worse"], ["faster", "▲ better"]],
  };
  const select = (key, title) => {
    const usual = matrix[key];
    matrix[key] = fromAddress(key, usual, options[key].map(([value]) => value));
    return keptSelect(key, title, options[key], usual, choose(key));
  };
  const verdicts = select("verdicts", "Verdicts");
  verdicts.lastChild.id = "verdicts";
  const hasFloors = contenders.some(({family}) => family === "floor");
  document.getElementById("matrix").append(
    el("div", {class: "controls", role: "group", "aria-label": "What the table shows"},
      el("label", {class: "choice"}, "Workloads with ", filter), select("metrics", "Metrics"), select("show", "Show"), verdicts,
      hasFloors ? keptBox("floors", "floors", false, choose("floors")) : null,
      el("output", {id: "cells-count"})),
    contenderChoice("Choose contenders for this table and all charts", () => {
      drawMatrix();
      drawAll();
    }), el("div", {id: "cells-table", class: "scroll"}));
  drawMatrix();
}

function setVerdicts(wanted) {
  document.getElementById("verdicts").value = matrix.verdicts = wanted;
  toAddress("verdicts", wanted, "all");
  drawMatrix();
}
