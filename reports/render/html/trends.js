const kept = data.history;  // written by bench/harness/history/trends_page.cpp
const runs = kept.runs;     // sorted by date
const baseline = kept.charts.map(({of}) => of.ratio_to).find(Boolean) ?? null;
const contenders = byFamily(kept.contenders.map(({name}) => name), kept.contenders, baseline);
const lineContenders = kept.contenders.map((each) => contenders.find(({name}) => name === each.name));

// A panel is one chart, with a line for each contender on each machine.
const panels = kept.charts.map(({of, lines}) => {
  const panel = {...of};
  panel.lines = lines.map((line) => lineOf(panel, line));
  return panel;
}).sort((a, b) => (a.workload < b.workload ? -1 : a.workload > b.workload ? 1 : metricPlace(a) - metricPlace(b)));

function lineOf(panel, {contender, machine, runs: list, values, lows, highs, changes}) {
  const at = (column, i) => (Array.isArray(column) ? column[i] : column);
  const points = kept.run_lists[list].map((run, i) =>
    ({run: runs[run], value: at(values, i), low: at(lows, i), high: at(highs, i)}));
  const line = {panel, contender: lineContenders[contender], machine, points};
  line.changes = changes.map((change) => ({...change, line, from: points[change.at - 1].run, to: points[change.at].run}));
  return line;
}

function metricPlace({metric}) {
  const place = Object.keys(data.metrics).indexOf(metric);
  return place === -1 ? Infinity : place;
}

const changes = panels.flatMap(({lines}) => lines.flatMap((line) => line.changes));

const choice = {
  filter: "", machine: "all",
  metric: panels.some(isMeasured) ? "measured" : "counts",
  // With many contenders, whose values differ much, a change of one of them would be hard to see. The charts then show
  // changes in per cent instead of values.
  show: contenders.length > 5 ? "change" : "value",
};

const usualChoice = {...choice};

function isMeasured(panel) {
  return panel.judged && !panel.deterministic;
}

function isSteady({lines}) {
  return lines.every(({points}) => points.every(({value}) => value === points[0].value));
}

function isOfMachine({machine}) {
  return choice.machine === "all" || machine === Number(choice.machine);
}

function shownRuns() {
  return runs.filter(isOfMachine);
}

function shownLines(panel) {
  return panel.lines.filter((line) => line.contender.shown && isOfMachine(line));
}

function isChosenMetric(panel) {
  if (choice.metric === "measured") return !panel.deterministic;
  return choice.metric === "counts" ? panel.deterministic && !isSteady(panel) : panel.metric === choice.metric;
}

function shownPanels() {
  const words = choice.filter.toLowerCase().split(/\s+/).filter(Boolean);
  return panels.filter((panel) => panel.judged === (choice.show !== "baseline") && isChosenMetric(panel) &&
    words.every((word) => panel.workload.toLowerCase().includes(word)) && shownLines(panel).length);
}

// ---- words ----

function valueText(panel, value) {
  return panel.ratio_to ? quotient(value) : humanOf(panel, value);
}

function pointText(panel, point) {
  const range = interval(point, (value) => valueText(panel, value));
  return valueText(panel, point.value) + (range && ` (${range})`);
}

function buildOf({build, date}) {
  return build === "-" ? date.slice(0, 10) : build;
}

function dayOf({date}) {
  return date.slice(0, 10);
}

const pairingWords = {sequential: "", interleaved: "interleaved", concurrent: "concurrent"};

function panelWords(panel) {
  const others = panels.filter((each) => each.workload === panel.workload && each.metric === panel.metric &&
    each.judged === panel.judged);
  const differs = (key) => others.some((each) => each[key] !== panel[key]);
  return [titleOf(panel.metric), differs("pairing") && (pairingWords[panel.pairing] || "sequential"), differs("size") && `${panel.size} size`,
    differs("ratio_to") && `to ${panel.ratio_to}`].filter(Boolean).join(", ");
}

function unitWords(panel) {
  if (choice.show === "change" && !panel.deterministic)
    return `change since the first level, in per cent; ${upWord(panel)}`;
  if (panel.ratio_to) return `times as good as ${panel.ratio_to}; ${upWord(panel)}`;
  return `${data.metrics[panel.metric]?.summary || panel.metric}; ${upWord(panel)}`;
}

function upWord(panel) {
  return panel.ratio_to || panel.direction === "larger" ? "up is better" : "down is better";
}

function machineWords(number) {
  return kept.machines.find((each) => each.number === number).name;
}

const changeMarks = {better: "▲", worse: "▼", different: "◆"};

function changeColour({is}) {
  return is === "different" ? css("--muted") : `rgb(${css(`--${is}`)})`;
}

function sizeText({size, unit}) {
  return significant(size, 2) + (unit === "%" ? "\u00a0%" : "");
}

function levelsText({line, before, after}) {
  const {panel} = line;
  return `from ${valueText(panel, before)} to ${valueText(panel, after)}` +
    (panel.ratio_to ? ` times as good as ${panel.ratio_to}` : "");
}

// ---- top ----

function addTop() {
  const of = (count, one, many = `${one}s`) => `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
  const workloads = new Set(panels.map(({workload}) => workload)).size;
  document.getElementById("about").textContent = [
    runs.length < kept.all_runs ? `the latest ${of(runs.length, "run")} of ${kept.all_runs.toLocaleString("en-US")}`
      : of(runs.length, "run"),
    runs.length ? `${dayOf(runs[0])} to ${dayOf(runs.at(-1))}` : null, of(kept.machines.length, "machine"),
    of(contenders.length, "contender"), of(workloads, "workload"),
  ].filter(Boolean).join(" · ");
  const count = (is) => changes.filter((each) => each.is === is).length;
  document.getElementById("reliability").textContent = changes.length === 0 ? (runs.length < kept.all_runs ? "no significant change in these runs" : "no significant change")
    : `${of(changes.length, "change")}: ${count("worse")} for the worse, ${count("better")} for the better`;
}

// ---- what changed ----

function changeGroups() {
  const groups = new Map();
  for (const change of changes) {
    const key = `${change.to.id} ${change.from.id}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(change);
  }
  return [...groups.values()].sort((a, b) => runs.indexOf(b[0].to) - runs.indexOf(a[0].to) ||
    runs.indexOf(b[0].from) - runs.indexOf(a[0].from));
}

function changeItem(change) {
  const {panel, contender} = change.line;
  return el("li", {class: change.is}, el("span", {"aria-hidden": "true"}, `${changeMarks[change.is]} `),
    nameOf(contender.name), ` ${titleOf(panel.metric)} on `, nameOf(panel.workload), ": ",
    el("button", {type: "button", onclick: () => showPanel(change.line)}, change.text), `, ${levelsText(change)}`);
}

function runButton(run, text = buildOf(run)) {
  return el("button", {type: "button", class: "value", onclick: () => openRun(run)}, nameOf(text));
}

function groupItem(members) {
  const few = 6;
  const [{from, to, also}] = members;
  const items = [...members].sort((a, b) => b.size - a.size).map(changeItem);
  return el("li", {}, "Between ", runButton(from), ` (${dayOf(from)}) and `, runButton(to), ` (${dayOf(to)})`,
    kept.machines.length > 1 ? ` on machine ${to.machine}` : "", also ? nameOf(also) : "", ":",
    el("ul", {}, items.slice(0, few)),
    items.length > few ? el("details", {}, el("summary", {}, `${items.length - few} more`), el("ul", {}, items.slice(few))) : "");
}

function addChanges() {
  const few = 5;
  const place = document.getElementById("changed");
  const groups = changeGroups();
  if (!groups.length) {
    place.append(el("p", {}, `No level changed significantly${runs.length < kept.all_runs ? " in the shown runs" : ""}. A new level is detected after at least three runs.`));
    return;
  }
  const list = (some) => el("ul", {class: "changes"}, some.map(groupItem));
  place.append(list(groups.slice(0, few)));
  if (groups.length > few)
    place.append(el("details", {}, el("summary", {}, `${groups.length - few} earlier`), list(groups.slice(few))));
}

// ---- a run ----

function reportLink(run) {
  if (!run.page) return null;
  const address = [...kept.reports.split("/"), run.page].map(encodeURIComponent).join("/");
  return el("p", {}, el("a", {href: address}, "The report of this run"));
}

function runFacts(run) {
  return [["run", run.id], ["date", run.date], ["commit", run.commit && `${run.commit}${run.dirty ? ", with changes" : ""}`],
    ["machine", `${run.machine}: ${machineWords(run.machine)}`], ["kernel", run.kernel], ["compiler", run.compiler],
    ["sizes", run.size]];
}

function openRun(run, title = [nameOf(buildOf(run))], more = []) {
  const dialog = document.getElementById("run");
  const close = el("button", {type: "button", class: "close", onclick: () => dialog.close()}, "Close");
  dialog.replaceChildren(close, el("h2", {id: "run-title"}, title), facts([...more, ...runFacts(run)]),
    reportLink(run) ?? "", el("p", {class: "note"}, "All numbers of this run: ", el("code", {}, `loopbench history show ${run.id}`),
      "; as a page: ", el("code", {}, `loopbench history export ${run.id} -o run.json`), ", then ",
      el("code", {}, "loopbench report run.json --format html -o run.html")));
  dialog.showModal();
}

function openPoint(line, place) {
  const {panel, contender, points} = line;
  const change = line.changes.find(({at}) => at === place || at === place + 1);
  openRun(points[place].run, [nameOf(contender.name), el("small", {}, " on "), nameOf(panel.workload),
    el("small", {}, ` ${titleOf(panel.metric)}`)], [
    [panel.ratio_to ? `times as good as ${panel.ratio_to}` : titleOf(panel.metric), valueText(panel, points[place].value)],
    ["interval", interval(points[place], (value) => valueText(panel, value))],
    ["better is", panel.ratio_to ? "larger" : panel.direction],
    [change?.at === place ? "changed in this run" : "changed in the next run",
      change && `${change.text}, ${levelsText(change)}`]]);
}

// ---- charts ----

const bands = {
  id: "bands",
  beforeDatasetsDraw(chart) {
    const {ctx, chartArea: area, scales: {y}} = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left, area.top, area.width, area.height);
    ctx.clip();
    ctx.globalAlpha = chart.data.datasets.length > 4 ? 0.06 : 0.13;
    chart.data.datasets.forEach((set, i) => {
      const at = chart.getDatasetMeta(i).data;
      const known = set.data.map((point, place) => ({...point, x: at[place].x}))
        .filter(({low, high}) => low !== null && high !== null);
      if (!known.length) return;
      ctx.fillStyle = set.borderColor;
      ctx.beginPath();
      for (const {x, high} of known) ctx.lineTo(x, y.getPixelForValue(high));
      for (const {x, low} of known.reverse()) ctx.lineTo(x, y.getPixelForValue(low));
      ctx.fill();
    });
    ctx.restore();
  },
};

const machineLines = {
  id: "machineLines",
  beforeDatasetsDraw(chart) {
    const {ctx, chartArea: area, scales: {x}} = chart;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = css("--muted");
    ctx.setLineDash([3, 3]);
    ctx.font = `10px ${css("--sans")}`;
    for (const {at, machine} of machineChanges()) {
      const pixel = x.getPixelForValue(at - 0.5);
      ctx.beginPath();
      ctx.moveTo(pixel, area.top - 10);
      ctx.lineTo(pixel, area.bottom);
      ctx.stroke();
      ctx.fillText(`machine ${machine}`, pixel + 3, area.top - 3);
    }
    ctx.restore();
  },
};

// Returns the runs at which the machine changes, or an empty list if machines alternate too often. In the second case,
// the names of lines contain the machines' numbers.
function machineChanges() {
  const most = 4;
  const all = shownRuns().map(({machine}, at, list) => ({at, machine, before: list[at - 1]?.machine}))
    .filter(({at, machine, before}) => at > 0 && machine !== before);
  return all.length > most ? [] : all;
}

const changeLabels = {
  id: "changeLabels",
  afterDatasetsDraw(chart) {
    const {ctx, chartArea: area, scales: {y}} = chart;
    ctx.save();
    ctx.font = `600 11px ${css("--sans")}`;
    ctx.textAlign = "center";
    chart.data.datasets.forEach((set, i) => {
      const at = chart.getDatasetMeta(i).data;
      for (const change of set.line.changes) {
        const limits = [0, ...set.line.changes.map((each) => each.at), at.length];
        const own = limits.indexOf(change.at, 1);
        ctx.strokeStyle = ctx.fillStyle = changeColour(change);
        ctx.lineWidth = 1;
        ctx.beginPath();
        for (const [level, begin, end] of [[change.before, limits[own - 1], change.at],
          [change.after, change.at, limits[own + 1]]]) {
          const height = y.getPixelForValue(set.shown(level));
          ctx.moveTo(at[begin].x, height);
          ctx.lineTo(at[end - 1].x, height);
        }
        ctx.stroke();
        const point = at[change.at];
        const isUp = set.shown(change.after) > set.shown(change.before);
        const above = isUp ? point.y > area.top + 30 : point.y > area.bottom - 30;
        const text = `${changeMarks[change.is]} ${sizeText(change)}`;
        const half = ctx.measureText(text).width / 2;
        const middle = Math.min(Math.max(point.x, area.left + half), area.right - half);
        ctx.lineWidth = 3;
        ctx.strokeStyle = css("--panel");
        const height = point.y + (above ? -9 : 18);
        ctx.strokeText(text, middle, height);
        ctx.fillText(text, middle, height);
      }
    });
    ctx.restore();
  },
};

function scaleOf(line) {
  if (choice.show !== "change" || line.panel.deterministic) return (value) => value;
  const first = line.points.slice(0, line.changes[0]?.at ?? line.points.length).map(({value}) => value).sort((a, b) => a - b);
  const level = line.changes[0]?.before ?? first[Math.floor(first.length / 2)];
  return (value) => (value === null || !level ? null : 100 * (value - level) / Math.abs(level));
}

// Returns the value axis. The axis includes the intervals unless they are much wider than the range of the values.
function valueAxis(panel, sets) {
  const values = sets.flatMap(({data}) => data.map(({y}) => y)).filter((value) => value !== null);
  const ends = sets.flatMap(({data}) => data.flatMap(({low, high}) => [low, high])).filter((value) => value !== null);
  const least = Math.min(...values), most = Math.max(...values);
  const room = Math.max((most - least) / 2, Math.abs(most) * 0.005) || 1;
  const isChange = choice.show === "change" && !panel.deterministic;
  const format = (value) => (isChange ? `${Number(value.toPrecision(4))} %`
    : panel.ratio_to ? String(Number(value.toPrecision(5))) : humanOf(panel, value));
  if (!isChange && least > 0 && most / least > 4) return logAxis("", format, values);
  return {
    ...linearAxis("", format), beginAtZero: false, grace: "4%",
    min: Math.max(Math.min(...ends, least), least - room), max: Math.min(Math.max(...ends, most), most + room),
    ticks: {callback: format, maxTicksLimit: 6, maxRotation: 0, includeBounds: false},
  };
}

function commitAxis(list) {
  return {
    type: "linear", min: -0.5, max: list.length - 0.5, grid: {display: false},
    afterBuildTicks(axis) {
      const wide = 62;
      const step = Math.max(1, Math.ceil(list.length / Math.max(1, Math.floor((axis.maxWidth || 300) / wide))));
      axis.ticks = list.map((_, value) => ({value})).filter(({value}) => (list.length - 1 - value) % step === 0);
    },
    ticks: {autoSkip: false, maxRotation: 0, callback: (place) => list[place] && label(buildOf(list[place])).slice(0, 8)},
  };
}

function panelConfig(panel) {
  const list = shownRuns();
  const places = new Map(list.map((run, place) => [run, place]));
  const lines = shownLines(panel);
  const isLast = (line) => !lines.some((other) => other.contender === line.contender &&
    places.get(other.points.at(-1).run) > places.get(line.points.at(-1).run));
  const takeTurns = new Set(lines.map(({machine}) => machine)).size > 1 && !machineChanges().length;
  const sets = lines.map((line) => {
    const shown = scaleOf(line);
    return {
      ...lineStyle(line.contender), line, shown, pointRadius: list.length > 100 ? 0 : 2, unlabelled: !takeTurns && !isLast(line),
      label: line.contender.name + (takeTurns ? `, ${line.machine}` : ""),
      data: line.points.map(({run, value, low, high}) =>
        ({x: places.get(run), y: shown(value), low: shown(low), high: shown(high)})),
    };
  });
  const longest = Math.max(...sets.map((set) => label(set.label).length));
  return {
    type: "line",
    data: {datasets: sets},
    options: {
      parsing: false, layout: {padding: {right: Math.min(labelsWidth, 18 + 6.4 * longest), top: 12}},
      scales: {x: commitAxis(list), y: valueAxis(panel, sets)},
      plugins: {tooltip: {callbacks: {
        title: ([{dataset, dataIndex}]) => {
          const {run} = dataset.line.points[dataIndex];
          return `${label(buildOf(run))}, ${dayOf(run)}, run ${run.id}`;
        },
        label: ({dataset, dataIndex}) => `${label(dataset.label)}: ${pointText(panel, dataset.line.points[dataIndex])}`,
      }}},
      onClick: (_, [hit]) => hit && openPoint(lines[hit.datasetIndex], hit.index),
    },
    plugins: [bands, machineLines, endLabels, changeLabels],
  };
}

function panelTable(panel) {
  const lines = shownLines(panel);
  const several = new Set(lines.map(({machine}) => machine)).size > 1;
  const cell = (line, run) => {
    const place = line.points.findIndex((point) => point.run === run);
    if (place === -1) return null;
    const change = line.changes.find(({at}) => at === place);
    return [el("button", {type: "button", class: "value", onclick: () => openPoint(line, place)},
      pointText(panel, line.points[place])),
      change ? ` ${changeMarks[change.is]} ${change.is} by ${sizeText(change)}` : ""];
  };
  const those = shownRuns().filter((run) => lines.some(({points}) => points.some((point) => point.run === run))).reverse();
  return plainTable(["run", ...lines.map(({contender, machine}) =>
    [nameOf(contender.name), several ? `, machine ${machine}` : ""])],
    those.map((run) => [runButton(run, `${buildOf(run)}, ${dayOf(run)}`), ...lines.map((line) => cell(line, run))]),
    `${titleOf(panel.metric)} on ${panel.workload}, the latest first`);
}

// ---- the charts, and what they show ----

const controls = {};

function placeFigures() {
  const place = document.querySelector("#trends .small-multiples");
  removeFigures();
  place.replaceChildren();
  const shown = shownPanels();
  for (const panel of shown) {
    const {element} = figure(place, {title: panel.workload, note: `${panelWords(panel)}: ${unitWords(panel)}`, height: 220,
      config: () => panelConfig(panel), table: () => panelTable(panel)});
    element.tabIndex = -1;
    panel.element = element;
  }
  const steady = choice.metric === "counts"
    ? panels.filter((panel) => panel.judged && panel.deterministic && isSteady(panel)).length : 0;
  controls.count.textContent = `${shown.length} charts` + (steady ? `; ${steady} more counts never changed` : "");
  if (!shown.length) place.append(el("p", {}, "No series matches this choice."));
}

function drawTrends() {
  placeFigures();
  drawAll();
}

function choose(what) {
  Object.assign(choice, what);
  for (const [key, usual] of Object.entries(usualChoice)) {
    controls[key].value = choice[key];
    toAddress(key, choice[key], usual);
  }
  drawTrends();
}

function showPanel(line) {
  const {panel} = line;
  line.contender.shown = true;
  if (!shownPanels().includes(panel) || !shownLines(panel).includes(line))
    choose({filter: "", machine: "all", metric: panel.metric, show: choice.show === "baseline" ? "value" : choice.show});
  panel.element.scrollIntoView({block: "center"});
  panel.element.focus({preventScroll: true});
}

function addTrends() {
  const select = (key, title, options) => {
    choice[key] = fromAddress(key, choice[key], options.map(([value]) => value));
    const made = selectOf(title, options, choice[key], (value) => choose({[key]: value}));
    controls[key] = made.lastChild;
    return made;
  };
  controls.filter = el("input", {type: "search", placeholder: "echo conns:1000",
    oninput: () => choose({filter: controls.filter.value})});
  controls.filter.value = choice.filter = fromAddress("filter", "");
  controls.count = el("output", {id: "trends-count"});
  const metrics = [...new Set(panels.map(({metric}) => metric))]
    .sort((a, b) => metricPlace({metric: a}) - metricPlace({metric: b}));
  document.querySelector("#trends > p").after(
    el("div", {class: "controls", role: "group", "aria-label": "What the charts show"},
      el("label", {class: "choice"}, "Workloads with ", controls.filter),
      select("metric", "Metric", [["measured", "all but counts"], ["counts", "counts that changed"],
        ...metrics.map((name) => [name, titleOf(name)])]),
      select("show", "Show", [["value", "values"], ["change", "change in per cent"],
        ...(panels.some(({judged}) => !judged) ? [["baseline", "the baseline itself"]] : [])]),
      select("machine", "Machine", [["all", "all"],
        ...kept.machines.map(({number, name}) => [String(number), `${number}: ${name.slice(0, 40)}`])]),
      controls.count),
    contenderChoice("Choose contenders", drawTrends), legend());
  placeFigures();  // addTheme() draws them
}

// ---- runs ----

function addRuns() {
  const place = document.getElementById("runs");
  place.append(el("details", {}, el("summary", {}, `All ${runs.length}, the latest first`),
    plainTable(["run", "date", "commit", "machine", "kernel", "compiler"], [...runs].reverse().map((run) =>
      [runButton(run, String(run.id)), run.date, nameOf(buildOf(run)), String(run.machine), nameOf(run.kernel || "–"),
        nameOf(run.compiler || "–")]), "Runs")),
  facts(kept.machines.map(({number, name}) => [`machine ${number}`, name])));
}

addTop();
addChanges();
addTrends();
addRuns();
addNavigation();
addTheme();
