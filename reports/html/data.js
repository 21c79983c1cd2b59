// The report as the page reads it: results by cell and metric, contenders by family, numbers as people read them.
// Names come from outside. They only ever become text nodes, attributes or text on a canvas.

const data = JSON.parse(document.getElementById("data").textContent);
const report = data.report;
const baseline = report.baseline;
const isComparison = baseline === "before";
const headlines = new Map(data.headlines);  // workload → the names of the metrics that it is about, the first above all

function quotientOf(fields) {
  return fields && {to: data.texts[fields[0]], median: fields[1], low: fields[2], high: fields[3]};
}

// The fields in the order of add_result() in reports/html/html.cpp.
function resultOf([workload, contender, metric, median, low, high, ratio, difference, floor, verdict, detectable, layout, hosts,
                   unit, direction, way, status, reason, level, samples]) {
  const text = (place) => (place === null ? null : data.texts[place]);
  return {
    workload: text(workload), contender: text(contender), metric: text(metric), median, low, high,
    ratio: quotientOf(ratio), difference: quotientOf(difference), floor: quotientOf(floor), verdict: text(verdict),
    detectable, layout, hosts,
    unit: text(unit), direction: text(direction), way: text(way), status: text(status), reason: text(reason),
    level, samples,
  };
}

const results = data.results.map(resultOf);

// workload → contender → metric → result
function byCell(all) {
  const found = new Map();
  for (const result of all) {
    if (!found.has(result.workload)) found.set(result.workload, new Map());
    const row = found.get(result.workload);
    if (!row.has(result.contender)) row.set(result.contender, new Map());
    row.get(result.contender).set(result.metric, result);
  }
  return found;
}

const cells = byCell(results);
const cellsBefore = byCell(data.before.map(resultOf));  // of a comparison of two reports
const curves = data.curves.map((curve) =>
  ({...curve, workload: data.texts[curve.workload], contender: data.texts[curve.contender]}));
const workloads = [...cells.keys()];

function find(workload, contender, metric) {
  return cells.get(workload)?.get(contender)?.get(metric);
}

function findBefore({workload, contender, metric}) {
  return cellsBefore.get(workload)?.get(contender)?.get(metric);
}

function valueOf(workload, contender, metric) {
  return find(workload, contender, metric)?.median ?? null;
}

function metricsOf(workload) {
  const seen = new Set();
  for (const metrics of cells.get(workload).values()) for (const name of metrics.keys()) seen.add(name);
  return Object.keys(data.metrics).filter((name) => seen.delete(name)).concat([...seen]);
}

function headlineOf(workload) {
  const has = metricsOf(workload);
  const named = (headlines.get(workload) || []).filter((name) => has.includes(name));
  return named.length ? named : has.slice(0, 1);
}

// ---- contenders ----

// Each has a colour of its own in page.css.
const families = [
  {id: "flagship", title: "the loop, on epoll and io_uring"},
  {id: "design", title: "the loop, simpler designs"},
  {id: "asio", title: "Boost.Asio"},
  {id: "other", title: "others"},
  {id: "floor", title: "floors: no loop at all"},
];

function familyOf(contender) {
  if (contender.context?.role === "floor") return "floor";
  if (contender.library === "Boost.Asio") return "asio";
  if (contender.library !== "loopbench") return "other";
  return ["epoll", "io_uring"].includes(contender.context?.driver) ? "flagship" : "design";
}

const markers = ["circle", "triangle", "rect", "rectRot", "star", "crossRot", "cross"];
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [4, 2, 1, 2], [1, 3]];

// Those with results, family by family, the baseline first in its own.
const contenders = (() => {
  const described = new Map(report.contenders.map((each) => [each.name, each]));
  const names = [...new Set([...described.keys(), ...workloads.flatMap((name) => [...cells.get(name).keys()])])];
  const all = names.map((name) => ({name, family: familyOf(described.get(name) || {}), shown: true}));
  const ordered = families.flatMap(({id}) => all.filter((each) => each.family === id)
    .sort((a, b) => (b.name === baseline) - (a.name === baseline)));
  for (const {id} of families)
    ordered.filter((each) => each.family === id).forEach((each, place) => {
      each.marker = markers[place % markers.length];
      each.dash = id === "floor" ? [3, 3] : dashes[place % dashes.length];
    });
  return ordered;
})();

function shownContenders() {
  return contenders.filter((each) => each.shown);
}

// ---- numbers ----

function significant(exact, digits = 3) {
  const value = Number(exact.toPrecision(digits));
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  return magnitude >= digits - 1 ? Math.round(value).toLocaleString("en-US")
    : value.toFixed(Math.min(digits - 1 - magnitude, 12));
}

function scaled(value, steps) {
  const [size, unit] = steps.find(([size]) => Math.abs(value) >= size * 0.9995) || steps[steps.length - 1];
  return `${significant(value / size)}\u00a0${unit}`;
}

const times = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const bytes = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const thousands = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

function human(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "ns") return scaled(value, times);
  if (unit === "B" || unit === "B/op") return scaled(value, bytes) + (unit === "B/op" ? "/op" : "");
  if (unit === "/s") return (Math.abs(value) < 1e4 ? significant(value) + "\u00a0" : scaled(value, thousands)) + "/s";
  return significant(value);
}

// CPU over wall time: a share of one core.
function humanOf(result, value = result.median) {
  return result.metric === "spin" && value !== null ? `${significant(value * 100)}\u00a0%` : human(value, result.unit);
}

// Where there is no ratio because a value is not above zero.
function differenceText(result) {
  const signed = (value) => (value > 0 ? "+" : "") + humanOf(result, value);
  const range = interval(result.difference, signed);
  return signed(result.difference.median) + (range && ` (${range})`);
}

// The same without zeros at the end, for the ticks of an axis.
function short(text) {
  return text.replace(/(\.\d*?)0+(?!\d)/, "$1").replace(/\.(?!\d)/, "");
}

function quotient(value) {
  if (value === null) return "–";
  if (value >= 99.5) return value < 1e6 ? Math.round(value).toLocaleString("en-US") : value.toExponential(1);
  if (value >= 9.995) return value.toFixed(1);
  return value >= 0.095 ? value.toFixed(2) : value.toPrecision(2);
}

function interval(of, format) {
  return of.low === null || of.high === null ? "" : `${format(of.low)}–${format(of.high)}`;
}

const verdictMarks = {faster: "▲", slower: "▼", equivalent: "=", inconclusive: "?"};

// "better" and "worse" for what is no time: CPU, lateness, wakeups.
function verdictWord(result) {
  const isTime = ["time", "throughput", "capacity"].includes(result.metric) || result.metric.startsWith("latency");
  if (isTime) return result.verdict;
  return {faster: "better", slower: "worse"}[result.verdict] || result.verdict;
}

// ---- elements ----

function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// A name beside other text: neither its direction nor its length does anything to its neighbours.
function nameOf(text) {
  const parts = text.split(/(?<=\/)/).flatMap((part, place) => (place ? [el("wbr"), part] : [part]));
  return el("bdi", {class: "name", title: text.length > 40 ? text.slice(0, 1000) : null}, parts);
}

function plainTable(head, rows, caption, kind = "") {
  const cell = (tag, scope) => (content, place) =>
    el(place === 0 && tag === "td" ? "th" : tag, {scope: place === 0 && tag === "td" ? "row" : scope}, content ?? "–");
  return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    el("table", {class: `plain ${kind}`.trim()}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, head.map(cell("th", "col")))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell("td")))))));
}

function selectOf(label, options, chosen, onchange) {
  const select = el("select", {onchange: () => onchange(select.value)},
    options.map(([value, title]) => el("option", {value}, title)));
  select.value = chosen;
  return el("label", {class: "choice"}, `${label} `, select);
}
