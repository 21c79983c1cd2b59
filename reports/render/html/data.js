const report = data.report;
const baseline = report.baseline;
const isOfReports = baseline === "before" || data.before.length > 0;
const isOfPrograms = !isOfReports && report.command[1] === "compare";
const isComparison = isOfReports || isOfPrograms;
const headlines = new Map(data.headlines);  // workload → names of its primary metrics, the most important first

function quotientOf(fields) {
  return fields && {to: data.texts[fields[0]], median: fields[1], low: fields[2], high: fields[3]};
}

// Returns a result with named fields. The fields must have the same order as in add_result() in
// reports/render/html/html.cpp.
function resultOf([workload, contender, metric, median, low, high, ratio, difference, floor, verdict, detectable, rare,
                   kind, samples]) {
  const text = (place) => (place === null ? null : data.texts[place]);
  const [layout, hosts, maxOf, toEpoll] = rare || [null, null, null, null];
  const [unit, direction, pairing, status, reason, level] = data.kinds[kind];
  return {
    workload: text(workload), contender: text(contender), metric: text(metric), median, low, high,
    ratio: quotientOf(ratio), difference: quotientOf(difference), floor: quotientOf(floor), verdict: text(verdict),
    detectable, layout, hosts, maxOf, toEpoll: toEpoll && {...quotientOf(toEpoll), verdict: text(toEpoll[4])},
    unit, direction, pairing, status, reason, level, samples,
  };
}

const results = data.results.map(resultOf);

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
const cellsBefore = byCell(data.before.map(resultOf));
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

const metricsByWorkload = new Map(workloads.map((workload) => {
  const seen = new Set();
  for (const metrics of cells.get(workload).values()) for (const name of metrics.keys()) seen.add(name);
  return [workload, Object.keys(data.metrics).filter((name) => seen.delete(name)).concat([...seen])];
}));

function metricsOf(workload) {
  return metricsByWorkload.get(workload);
}

function primaryMetricOf(workload) {
  const has = metricsOf(workload);
  const named = (headlines.get(workload) || []).filter((name) => has.includes(name));
  return named.length ? named : has.slice(0, 1);
}

const contenders = byFamily([...new Set([...report.contenders.map(({name}) => name),
  ...workloads.flatMap((name) => [...cells.get(name).keys()])])], report.contenders, baseline);

function maximumText(result) {
  return result.maxOf === null ? "" : `max of ${result.maxOf.toLocaleString("en-US")}`;
}

function differenceText(result) {
  const signed = (value) => (value > 0 ? "+" : "") + humanOf(result, value);
  const range = interval(result.difference, signed);
  return signed(result.difference.median) + (range && ` (${range})`);
}

const verdictMarks = {faster: "▲", slower: "▼", equivalent: "=", inconclusive: "?"};

// A ratio without a verdict (too few blocks, or disturbed trials) decides nothing either.
function isDecided({verdict}) {
  return verdict !== null && verdict !== undefined && verdict !== "inconclusive";
}

function isTimeMetric(metric) {
  return ["time", "throughput", "capacity"].includes(metric) || metric.startsWith("latency");
}

function verdictWord(result) {
  if (isTimeMetric(result.metric)) return result.verdict;
  return {faster: "better", slower: "worse"}[result.verdict] || result.verdict;
}
