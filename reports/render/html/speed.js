const speedMetrics = ["time", "throughput", "capacity"];
const firstWorkloads = [
  "echo/rtt/tcp/conns:1/bytes:64",
  "echo/rtt/tcp/conns:100/bytes:64",
  "echo/rtt/tcp/conns:1000/bytes:64",
  "post/chain",
  "yield",
  "spawn",
  "gather/yield/children:1000",
  "wakeup/thread",
  "stream/tcp",
];
const mostPanels = 9;

const speed = {show: "ratio", of: "first"};

function isAboutSpeed(workload) {
  return speedMetrics.includes(primaryMetricOf(workload)[0]);
}

function hasSpeed(workload) {
  const metric = primaryMetricOf(workload)[0];
  return (
    isAboutSpeed(workload) &&
    contenders.some(({name, family}) => family !== "floor" && valueOf(workload, name, metric) !== null)
  );
}

function speedWorkloads() {
  const all = workloads.filter(hasSpeed);
  if (speed.of === "all") return all;
  if (speed.of !== "first") return all.filter((name) => name.split("/")[0] === speed.of);
  const first = firstWorkloads.filter((name) => all.includes(name));
  return [...first, ...(first.length ? [] : all)].slice(0, mostPanels);
}

function barOf(result, contender) {
  if (!result || result.median === null) return null;
  if (speed.show === "value") return {value: result.median, low: result.low, high: result.high, text: humanOf(result)};
  if (contender === baseline) return {value: 1, low: null, high: null, text: "1.00×"};
  if (!result.ratio) return null;
  const mark = isDecided(result) ? (result.verdict === "equivalent" ? " =" : "") : " ?";
  const {median: value, low, high} = result.ratio;
  return {value, low, high, text: `${quotient(value)}×${mark}`};
}

function barsOf(workload) {
  const metric = primaryMetricOf(workload)[0];
  const direction = contenders.map(({name}) => find(workload, name, metric)).find(Boolean)?.direction;
  const isLongBest = speed.show === "ratio" || direction === "larger";
  const all = contenders
    .map((contender) => {
      const result = find(workload, contender.name, metric);
      return {contender, result, ...barOf(result, contender.name)};
    })
    .filter(({text}) => text !== undefined)
    .sort((a, b) => (isLongBest ? b.value - a.value : a.value - b.value));
  const fastest = all.find(({result}) => result.floor)?.result.floor.to;
  return {
    metric,
    isLongBest,
    floor: all.find(({contender}) => contender.name === fastest),
    rows: all.filter(({contender}) => contender.shown && contender.family !== "floor"),
    all,
  };
}

// Returns the highest value of the axis. A contender that is many times as slow as the others, or a floor that is far
// away, does not extend the axis, because the other bars would become too short.
function endOf(rows, floor, isLongBest = false) {
  const longest = Math.max(...rows.map(({value, high}) => Math.max(value, high ?? value)));
  const middle = rows.map(({value}) => value).sort((a, b) => a - b)[Math.floor(rows.length / 2)];
  const end = isLongBest ? longest : Math.min(longest, 5 * middle);
  return (floor && floor.value > end && floor.value < 2 * end ? floor.value : end || longest) * 1.03;
}

function paintBars(workload, width) {
  const {rows, floor, isLongBest} = barsOf(workload);
  if (!rows.length)
    return drawing(
      width,
      24,
      workload,
      words(
        speed.show === "ratio" && valueOf(workload, baseline, primaryMetricOf(workload)[0]) === null
          ? `${label(baseline)} has no number to compare with.`
          : "No chosen contender has a number.",
        0,
        12,
      ),
    );
  const end = endOf(rows, floor, isLongBest);
  const lines = [
    ...(floor ? [{value: floor.value, dash: "5 3", text: `floor ${floor.text.replace(/ [?=]$/, "")}`}] : []),
    ...(speed.show === "ratio" ? [{value: 1, text: ""}] : []),
  ];
  return drawBars(width, {
    title: workload,
    rows,
    lines,
    end,
    format: (value) => (speed.show === "ratio" ? `${quotient(value)}×` : humanOf(rows[0].result, value)),
  });
}

function speedTable(workload) {
  const {metric, all} = barsOf(workload);
  return plainTable(
    ["contender", titleOf(metric), `ratio to ${label(baseline)}`, "interval", "verdict"],
    all
      .filter(({contender}) => contender.shown)
      .map(({contender, result}) => [
        nameOf(contender.name),
        trialsButton(result),
        result.ratio ? quotient(result.ratio.median) : "–",
        result.ratio && interval(result.ratio, quotient),
        result.verdict || "–",
      ]),
    `${titleOf(metric)} on ${workload}`,
  );
}

function withoutNumbers(workload) {
  const {all, metric} = barsOf(workload);
  const missing = shownContenders()
    .filter(({name, family}) => family !== "floor" && !all.some(({contender}) => contender.name === name))
    .map(({name}) => ({name, status: (find(workload, name, metric) || find(workload, name, "time"))?.status}));
  const texts = [
    ["failed", "Failed"],
    ["not_run", "Not run"],
  ].map(([status, word]) => {
    const those = missing.filter((each) => each.status === status).map(({name}) => label(name));
    return those.length ? `${word}: ${those.join(", ")}.` : "";
  });
  return texts.filter(Boolean).join(" ");
}

function speedChoices(all) {
  const hasRatios = all.some((name) =>
    contenders.some((each) => find(name, each.name, primaryMetricOf(name)[0])?.ratio),
  );
  const groups = [...new Set(all.map((name) => name.split("/")[0]))];
  return {
    shows: [
      ...(hasRatios ? [["ratio", `times as fast as ${label(baseline)}`]] : []),
      ["value", "time per operation"],
    ],
    sets: [
      ["first", all.length > mostPanels ? "the most important" : "all"],
      ...(groups.length > 1 ? groups.map((name) => [name, name]) : []),
      ...(all.length > mostPanels ? [["all", "all"]] : []),
    ],
  };
}

function fillPanels(panels) {
  for (const entry of charts.filter((each) => panels.contains(each.place))) charts.splice(charts.indexOf(entry), 1);
  panels.replaceChildren();
  for (const workload of speedWorkloads())
    figure(panels, {
      title: workload,
      note: withoutNumbers(workload),
      unit: () =>
        speed.show === "ratio" ? `times as fast as ${label(baseline)}` : titleOf(primaryMetricOf(workload)[0]),
      paint: (width) => paintBars(workload, width),
      table: () => speedTable(workload),
    });
}

function speedNote(hasRatios) {
  const floor = "The dashed line is the floor: the same system calls with no loop around them.";
  return hasRatios
    ? `Each ratio is the median of the ratios within blocks, with its 95 % interval. ${floor} ` +
        `?\u00a0undecided, =\u00a0equivalent to ${label(baseline)}.`
    : `The time of an operation with its 95 % interval. ${floor}`;
}

function addSpeed() {
  const place = document.getElementById("speed");
  const all = workloads.filter(hasSpeed);
  if (isComparison) return;
  if (!all.length) return place.remove();
  const {shows, sets} = speedChoices(all);
  const valuesOf = (options) => options.map(([value]) => value);
  const usual = shows[0][0];
  speed.show = fromAddress("speed", usual, valuesOf(shows));
  speed.of = fromAddress("speed-of", "first", valuesOf(sets));
  const panels = el("div", {class: "small-multiples bars"});
  const choose = (key) => (value) => {
    speed[key] = value;
    fillPanels(panels);
    drawAll();
  };
  place.append(
    el("h2", {}, "Speed"),
    legend(),
    el("p", {class: "note"}, speedNote(usual === "ratio")),
    choiceRow(
      keptSelect("speed", "Show", shows, usual, choose("show")),
      sets.length > 1 ? keptSelect("speed-of", "Workloads", sets, "first", choose("of")) : null,
    ),
    panels,
  );
  fillPanels(panels);
}
