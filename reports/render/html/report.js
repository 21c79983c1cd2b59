function nicest(candidates, wanted) {
  return wanted.find((name) => candidates.includes(name)) || candidates[0];
}

const workloadsWith = new Map();

function withData(metric) {
  if (!workloadsWith.has(metric)) workloadsWith.set(metric, workloads.filter((name) => metricsOf(name).includes(metric) &&
    contenders.some((each) => valueOf(name, each.name, metric) !== null)));
  return workloadsWith.get(metric);
}

function byCoverage(names, metric) {
  const count = (name) => contenders.filter((each) => valueOf(name, each.name, metric) !== null).length;
  return [...names].sort((a, b) => count(b) - count(a));
}

// ---- timer lateness against CPU ----

const accuracy = {workload: null, metric: "late_p50", isOfSleepers: true};

function reasonLeftOut({contender, late, cpu}, middle) {
  if (burnsACore(contender.name)) return `burns a core: ${humanOf(late)} late with ${humanOf(cpu)} of CPU`;
  return late.median > 50 * middle ? `${humanOf(late)} late` : null;
}

function accuracyPoints() {
  const all = shownContenders().map((contender) => ({contender, late: find(accuracy.workload, contender.name, accuracy.metric),
    cpu: find(accuracy.workload, contender.name, "cpu")}))
    .filter(({late, cpu}) => late && cpu && late.median !== null && cpu.median !== null);
  const middle = all.map(({late}) => Math.abs(late.median)).sort((a, b) => a - b)[Math.floor(all.length / 2)];
  const judged = all.map((each) => ({...each, reason: accuracy.isOfSleepers ? reasonLeftOut(each, middle) : null}));
  return {points: judged.filter(({reason}) => !reason), leftOut: judged.filter(({reason}) => reason)};
}

function accuracyConfig() {
  const all = accuracyPoints().points;
  const floorOfAxis = (values) => {
    const positive = values.filter((value) => value > 0);
    return positive.length ? Math.min(...positive) / 2 : 1;
  };
  const lowest = {x: floorOfAxis(all.map(({cpu}) => cpu.median)), y: floorOfAxis(all.map(({late}) => late.median))};
  const onAxis = (value, least) => (value === null ? null : Math.max(value, least));
  return {
    type: "scatter",
    data: {datasets: all.map(({contender, late, cpu}) => ({
      label: contender.name, pointStyle: contender.marker, pointRadius: 6,
      pointBorderWidth: 2, borderColor: colourOf(contender), backgroundColor: colourOf(contender),
      data: [{x: onAxis(cpu.median, lowest.x), y: onAxis(late.median, lowest.y), xLow: onAxis(cpu.low, lowest.x),
        xHigh: cpu.high, yLow: onAxis(late.low, lowest.y), yHigh: late.high, late, cpu}],
    }))},
    options: {
      layout: {padding: {right: 30, top: 8}},
      scales: {
        x: logAxis("CPU per operation (less is better)", (value) => human(value, "ns"),
          all.map(({cpu}) => Math.max(cpu.median, lowest.x))),
        y: logAxis(`${accuracy.metric === "late_p99" ? "lateness, 99th percentile" : "lateness, median"} (lower is better)`,
          (value) => human(value, "ns"), all.map(({late}) => Math.max(late.median, lowest.y))),
      },
      plugins: {tooltip: {callbacks: {label: ({raw, dataset}) =>
        `${label(dataset.label)}: ${human(raw.late.median, "ns")} late with ${human(raw.cpu.median, "ns")} of CPU`}}},
      onClick: (_, [hit], chart) => hit && openTrials(chart.data.datasets[hit.datasetIndex].data[0].late),
    },
    plugins: [intervals, pointLabels],
  };
}

function accuracyTable() {
  const {points, leftOut} = accuracyPoints();
  return plainTable(["contender", titleOf(accuracy.metric), titleOf("cpu")], [...points, ...leftOut].sort((a, b) =>
    a.late.median - b.late.median).map(({contender, late, cpu}) =>
    [nameOf(contender.name), trialsButton(late), trialsButton(cpu)]), `Lateness and CPU on ${accuracy.workload}`);
}

function accuracyNote() {
  const {leftOut} = accuracyPoints();
  return "The lower left corner is best: on time, with little CPU. Lines through a point are its intervals." +
    (leftOut.length ? ` Not shown: ${leftOut.map(({contender, reason}) => `${label(contender.name)} (${reason})`).join(", ")}.` : "");
}

function addAccuracy() {
  const place = document.getElementById("accuracy");
  const known = isComparison ? [] : timerWorkloads();
  if (!known.length) return place.remove();
  const metrics = [["late_p50", "median"], ["late_p99", "99 %"]];
  accuracy.workload = fromAddress("timers", known[0], known);
  accuracy.metric = fromAddress("lateness", "late_p50", metrics.map(([name]) => name));
  accuracy.isOfSleepers = isBoxed("sleepers", true);
  const shown = figure(place, {title: "Lateness against CPU spent", height: 380, config: accuracyConfig, table: accuracyTable, note: accuracyNote()});
  const choose = (key) => (value) => {
    accuracy[key] = value;
    shown.redraw({note: accuracyNote()});
  };
  shown.element.firstChild.append(legend(), el("div", {class: "controls"},
    keptSelect("timers", "On", known.map((name) => [name, name]), known[0], choose("workload")),
    keptSelect("lateness", "Lateness", metrics, "late_p50", choose("metric")),
    keptBox("sleepers", "only loops that sleep until the deadline", true, choose("isOfSleepers"))));
}

// ---- undecided comparisons, by name ----

function addUncertain() {
  const few = 2, most = 8;
  const undecided = data.summary.find(({about}) => about === "undecided");
  const cells = (undecided?.from ?? []).map((place) => results[place]);
  if (isComparison || !cells.length) return;
  const rows = [...new Set(cells.map(({metric}) => metric))].map((metric) => {
    const those = cells.filter((each) => each.metric === metric);
    if (those.length <= few)
      return [titleOf(metric), those.flatMap((each, place) => [place ? "; " : "", nameOf(each.contender), " on ", nameOf(each.workload)])];
    const who = [...new Set(those.map(({contender}) => contender))].map((name) =>
      ({name, on: those.filter(({contender}) => contender === name)})).sort((a, b) => b.on.length - a.on.length);
    return [titleOf(metric), [who.slice(0, most).map(({name, on}, place) => [place ? ", " : "",
      el("span", {title: on.map(({workload}) => workload).join("\n").slice(0, 1000)}, nameOf(name), ` ${on.length}`)]),
    who.length > most ? ` and ${who.length - most} more` : ""].flat(2)];
  });
  const warning = report.warnings.find(({code}) => code === "few_blocks");
  document.getElementById("trust").append(el("div", {id: "uncertain"},
    plainTable(["metric", "contenders, with their number of workloads"], rows, `Undecided against ${label(baseline)}` +
      (warning ? ` (${warning.message}: ${warning.remedy})` : ""), "texts")));
}

// ---- whole distributions ----

const percentileMetrics = {
  latency: [["latency_p50", 2], ["latency_p90", 10], ["latency_p99", 100], ["latency_p999", 1000]],
  late: [["late_p50", 2], ["late_p99", 100]],
};

// Returns the points of a curve: [{x: 1/(1 - share), y, ns}]. `y` is `ns`, but at least 1, because a logarithmic axis
// cannot show the negative values of timers that fire early.
function curveOf(workload, contender, kind) {
  const whole = curves.find((curve) => curve.workload === workload && curve.contender === contender &&
    curve.metric === kind);
  if (whole)
    return whole.values.map((ns, step) => ({x: 10 ** (step / data.steps_per_decade), y: Math.max(ns, 1), ns}));
  const isPercentile = (metric) => (find(workload, contender, metric)?.maxOf ?? null) === null;
  return percentileMetrics[kind].filter(([metric]) => isPercentile(metric))
    .map(([metric, x]) => ({x, ns: valueOf(workload, contender, metric)})).filter(({ns}) => ns !== null).map(({x, ns}) => ({x, y: Math.max(ns, 1), ns}));
}

function shareText(x) {
  return `${Number((100 * (1 - 1 / x)).toPrecision(9))} %`;
}

function addLatency() {
  const place = document.getElementById("latency");
  const kinds = new Map([...withData("latency_p99").map((name) => [name, "latency"]),
    ...withData("late_p99").map((name) => [name, "late"])]);
  const known = workloads.filter((name) => kinds.has(name) &&
    contenders.some((each) => curveOf(name, each.name, kinds.get(name)).length > 1));
  if (!known.length) return place.remove();
  const usual = nicest(known, ["echo/rtt/tcp/conns:1000/bytes:64", "echo/rtt/tcp/conns:100/bytes:64", "timer/periodic"]);
  let chosen = fromAddress("latency-of", usual, known);
  const lines = () => shownContenders().map((contender) =>
    ({contender, points: curveOf(chosen, contender.name, kinds.get(chosen))})).filter(({points}) => points.length);
  const ticks = [1, 2, 10, 100, 1000, 1e4, 1e5, 1e6];
  const config = () => {
    const all = lines();
    const largest = Math.max(...all.flatMap(({points}) => points.map(({x}) => x)), 100);
    return {
      type: "line",
      data: {datasets: all.map(({contender, points}) => ({...lineStyle(contender), data: points,
        pointRadius: points.length > 6 ? 0 : 2.5}))},
      options: {
        parsing: false, layout: {padding: {right: labelsWidth}},
        scales: {
          x: {...logAxis("share of all operations", shareText, [1, largest]), min: 1, max: largest,
            afterBuildTicks: (axis) => { axis.ticks = ticks.filter((x) => x <= largest).map((value) => ({value})); },
            ticks: {callback: shareText, maxRotation: 0, autoSkip: false}},
          y: logAxis(kinds.get(chosen) === "late" ? "lateness at most" : "latency at most", (value) => human(value, "ns"),
            all.flatMap(({points}) => points.filter(({x}) => x > 1.5).map(({y}) => y))),
        },
        plugins: {tooltip: {callbacks: {title: () => "", label: ({raw, dataset}) =>
          `${label(dataset.label)}: ${shareText(raw.x)} within ${human(raw.ns, "ns")}`}}},
      },
      plugins: [endLabels],
    };
  };
  const table = () => {
    const metrics = metricsOf(chosen).filter((name) => name.startsWith(kinds.get(chosen) === "late" ? "late_" : "latency_"));
    return plainTable(["contender", ...metrics.map(titleOf)], lines().map(({contender}) => [nameOf(contender.name),
      ...metrics.map((metric) => trialsButton(find(chosen, contender.name, metric)))]), `Percentiles on ${chosen}`);
  };
  const source = curves.length ? "The curves come from the histograms of all trials; verdicts do not use them. A curve ends where fewer than 10 samples remain."
    : "The curves show only the percentiles in the report. Whole distributions need the file histograms.jsonl, which a run writes next to its report.";
  const shown = figure(place, {title: "Latency or lateness by share of operations", note: source, height: 400, config, table});
  shown.element.firstChild.append(el("div", {class: "controls"},
    keptSelect("latency-of", "On", known.map((name) => [name, name]), usual, (value) => {
      chosen = value;
      shown.redraw();
    })));
}

function metricTable(workload, metrics) {
  return plainTable(["contender", ...metrics.map(titleOf)], shownContenders().filter(({name}) =>
    metrics.some((metric) => valueOf(workload, name, metric) !== null)).map(({name}) =>
    [nameOf(name), ...metrics.map((metric) => trialsButton(find(workload, name, metric)))]), workload);
}

// ---- why ----

function paintCauses(width, workload, metric) {
  const rows = byValue(workload, "cpu").map((contender) => ({contender, result: find(workload, contender.name, metric)}))
    .filter(({result}) => result && result.median !== null)
    .map(({contender, result}) => ({contender, result, value: result.median, low: result.low, high: result.high, text: humanOf(result)}));
  if (!rows.length) return drawing(width, 24, workload, words("No contender has this number.", 0, 12));
  return drawBars(width, {title: titleOf(metric), rows, lines: [], end: endOf(rows) || 1, format: (value) => humanOf(rows[0].result, value)});
}

function addCauses() {
  const place = document.getElementById("causes");
  const known = withData("cpu");
  if (!known.length) return place.remove();
  const counts = ["syscalls", "allocations"].filter((metric) => withData(metric).length);
  if (counts.length < 2)
    place.append(el("p", {class: "note"}, "System calls and allocations were not counted in this run; ",
      el("code", {}, "loopbench run --counts"), " counts them."));
  const usual = nicest(counts.length ? withData(counts[0]) : known,
    ["echo/rtt/tcp/conns:1000/bytes:64", "echo/rtt/tcp/conns:100/bytes:64"]);
  let chosen = fromAddress("causes-of", usual, known);
  const row = el("div", {class: "pair"});
  const kinds = [["syscalls", "System calls per operation", "Counted in a separate pass."],
    ["futex_calls", "Futex calls per operation", "Threads that wait for each other or wake each other; counted in a separate pass."],
    ["allocations", "Allocations per operation", "On the heap; counted in a separate pass."],
    ["cpu", "CPU per operation", "User and system time together."]]
    .filter(([metric]) => withData(metric).length);
  const bars = kinds.map(([metric, title, note]) => figure(row, {
    title, note, paint: (width) => paintCauses(width, chosen, metric),
    table: () => metricTable(chosen, metric === "cpu" ? ["cpu", "cpu_user", "cpu_system"] : [metric]),
  }));
  place.append(el("div", {class: "controls"}, keptSelect("causes-of", "On", known.map((name) => [name, name]), usual, (value) => {
    chosen = value;
    for (const shown of bars) shown.redraw();
  })), row);
}

// ---- trust ----

function addTrust() {
  const place = document.getElementById("trust");
  const {aa, disturbances, judging} = report;
  if (judging)
    place.append(el("p", {}, `A difference is significant if its interval lies beyond ${judging.threshold_pct} %, corrected for ` +
      `${judging.comparisons ? `${judging.comparisons} comparisons of time` : "the comparisons of each metric"} ` +
      `(${judging.correction || "no correction"}).`));
  if (aa) {
    place.append(el("h3", {}, "A/A: the baseline measured twice"), el("p", {}, aa.reason || ""));
    const table = plainTable(["workload", "ratio", "interval", "verdict", "smallest detectable difference", "drift over the run"],
      aa.comparisons.map((each) => [nameOf(each.workload), quotient(each.ratio.median), interval(each.ratio, quotient),
        `${verdictMarks[each.verdict] || ""} ${each.verdict}`, percent(each.detectable_pct),
        percent(each.drift_pct) + (each.drifted ? ", significant" : "")]), "A/A by workload");
    place.append(aa.comparisons.length > 15 ? el("details", {class: "printed"}, el("summary", {}, "A/A by workload"), table) : table);
  }
  addCalibration(place, report.environment.calibration);
  if (disturbances)
    place.append(el("h3", {}, "Disturbances"), el("p", {}, `${disturbances.trials} trials; other programs disturbed ` +
      `${disturbances.disturbed} of them, ${disturbances.repeated} workloads of a block were run again, and ` +
      `${disturbances.kept} disturbed trials are in the results.`));
  if (report.warnings.length)
    place.append(el("h3", {}, "Warnings"), el("ul", {}, report.warnings.map((each) =>
      el("li", {}, nameOf(each.message), el("span", {class: "remedy"}, " → ", withOptions(each.remedy))))));
}

function addCalibration(place, found) {
  place.append(el("h3", {}, "Calibration: how often verdicts are right on this machine"));
  if (!found) {
    place.append(el("p", {}, "This machine has not been calibrated: ", el("code", {}, "loopbench calibrate"),
      " measures the rate of false alarms, and which slowdowns are detected."));
    return;
  }
  place.append(el("p", {}, `${found.aa.different} of ${found.aa.tries} A/A comparisons were false alarms ` +
    `(at most ${percent(found.aa.at_most_pct)}, with 95 % confidence; ${found.date.slice(0, 10)}, ${found.contender.slice(0, 100)}).`));
  place.append(plainTable(["slowdown", "verdict slower", "comparisons", "95 % bounds of the share"], found.slowdowns.map((each) =>
    [percent(each.slowdown_pct), String(each.measured_slower), String(each.measured),
      each.low === null ? "–" : `${percent(each.low * 100)}–${percent(each.high * 100)}`]), "Detected slowdowns of known size"));
}

// ---- machine and contenders ----

function plainValue(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const notOfTheSheet = ["date", "size", "load_avg", "contender", "library", "library_version", "caches", "num_cpus", "mhz_per_cpu",
  "cpu_scaling_enabled", "host_name", "executable", "json_schema_version", "compiler", "compiler_flags",
  "library_build_type"];

// Returns for example "threads/serve/rate:20000/threads:1 on 0, the load generator on 1".
function coresText() {
  const used = new Map();
  for (const {name, cores} of report.workloads)
    for (const {threads, generator} of (cores || []).filter((each) => each.threads.length)) {
      const place = threads.join(", ") + (generator.length ? `, the load generator on ${generator.join(", ")}` : "");
      used.set(place, [...used.get(place) || [], name]);
    }
  return [...used].map(([place, names]) => `${names.length > 3 ? `${names.length} workloads` : names.join(", ")} on ${place}`)
    .join("; ");
}

function addMachine() {
  const place = document.querySelector("#machine details");
  const {environment: where, plan} = report;
  place.append(facts([["date", where.date], ["loopbench", where.loopbench_version], ["kernel", where.kernel],
    ["CPU", where.cpu_model], ["cores", where.cores], ["memory", human(where.memory_bytes, "B")],
    ["governor", where.governor], ["clock source", where.clocksource], ["timer slack", human(where.timer_slack_ns, "ns")],
    ["load average", where.load_average.map((each) => each.toFixed(2)).join(", ")],
    ["plan", plan && Object.entries(plan).filter(([, value]) => value !== null).map(([key, value]) => `${key} ${value}`)
      .join(", ")], ...(coresText() ? [["cores of the threads", coresText()]] : []), ["seed", report.seed], ["command", report.command.join(" ")]]));
  const sheets = report.contenders.map((each) => ({each, sheet: new Map(Object.entries(each.context || {})
    .filter(([key]) => !notOfTheSheet.includes(key)).map(([key, value]) => [key, plainValue(value)])
    .concat(each.asio ? [["loops of its io_contexts", each.asio.loops.join(", ") || "none"]] : []))}));
  const keys = [...new Set(sheets.flatMap(({sheet}) => [...sheet.keys()]))];
  const isCommon = (key) => sheets.every(({sheet}) => sheet.get(key) === sheets[0].sheet.get(key));
  const common = keys.filter(isCommon), other = keys.filter((key) => !isCommon(key));
  place.append(el("h3", {}, "Common to all contenders"),
    facts(common.map((key) => [key, sheets[0].sheet.get(key)])),
    el("h3", {}, "Differences between contenders"), plainTable(["contender", "library", "compiler", "flags"],
      report.contenders.map((each) => [nameOf(each.name), nameOf([each.library, each.version].filter(Boolean).join(" ")),
        nameOf(each.compiler || "–"), nameOf(each.flags || "–")]), "Contenders", "texts"),
    ...other.map((key) => el("div", {class: "difference"}, el("h4", {}, nameOf(key)), el("dl", {},
      [...new Set(sheets.map(({sheet}) => sheet.get(key)))].flatMap((value) => [
        el("dt", {}, sheets.filter(({sheet}) => sheet.get(key) === value).map(({each}, place) =>
          [place ? ", " : "", nameOf(each.name)]).flat()),
        el("dd", {}, nameOf(value ?? "–"))])))));
}

// ---- a result's trials ----

function trialsButton(result) {
  if (!result || result.median === null) return "–";
  return el("button", {type: "button", class: "value", onclick: () => openTrials(result)},
    humanOf(result), result.maxOf === null ? null : ` (${maximumText(result)})`);
}

function verdictText(result) {
  if (!result.verdict || result.maxOf !== null) return maximumText(result) || null;
  const seen = result.detectable === null || result.verdict !== "inconclusive" ? "" : `; smallest detectable difference: ${percent(result.detectable)}`;
  return `${verdictMarks[result.verdict] || ""} ${verdictWord(result)}${seen}`;
}

let trialsChart = null;

function openTrials(result) {
  const dialog = document.getElementById("trials");
  const format = (value) => humanOf(result, value);
  const before = findBefore(result);
  const canvas = el("canvas", {role: "img", "aria-label": "The values of the trials, by block. The table below contains the numbers."});
  const close = el("button", {type: "button", class: "close", onclick: () => dialog.close()}, "Close");
  const others = metricsOf(result.workload).map((metric) => find(result.workload, result.contender, metric)).filter(Boolean);
  const pairingWords = {sequential: "sequential: one after the other", interleaved: "interleaved on one core", concurrent: "concurrent on one core"};
  dialog.replaceChildren(close,
    el("h2", {id: "trials-title"}, nameOf(result.contender), el("small", {}, " on "), nameOf(result.workload),
      el("small", {}, ` ${titleOf(result.metric)}`)),
    el("p", {class: "note"}, aboutMetric(result.metric)),
    facts([["before", before && `${format(before.median)} ${interval(before, format) && `(${interval(before, format)})`}`],
      [before ? "after" : "median", result.median === null ? null : `${format(result.median)} (${result.median} ${result.unit})`],
      [`interval, ${result.level * 100} %`, interval(result, format)],
      [`ratio to ${result.ratio?.to}`, result.ratio && `${quotient(result.ratio.median)} ` +
        (interval(result.ratio, quotient) && `(${interval(result.ratio, quotient)})`)],
      [`difference to ${result.difference?.to}`, result.difference && differenceText(result)],
      ["verdict", verdictText(result)],
      [`multiple of ${result.floor?.to}`, result.floor && `${quotient(result.floor.median)} ${
        interval(result.floor, quotient) && `(${interval(result.floor, quotient)})`}`],
      ["standard deviation between layouts", result.layout === null ? null : percent(result.layout)],
      ["standard deviation between hosts", result.hosts === null ? null : percent(result.hosts)],
      ["pairing", pairingWords[result.pairing]], ["better is", result.direction],
      ["status", result.status === "ok" ? null : result.status], ["reason", result.reason]]),
    result.samples.length ? el("div", {class: "canvas", style: "height:180px"}, canvas) : "",
    result.samples.length ? plainTable(["block", ...result.samples.map((_, block) => String(block + 1))],
      [[titleOf(result.metric), ...result.samples.map((value) => format(value))]], "Trials, by block", "trials") : "",
    plainTable(["metric", "median", "interval", "ratio or difference", "verdict"], others.map((each) => [titleOf(each.metric), humanOf(each),
      interval(each, (value) => humanOf(each, value)),
      each.ratio ? quotient(each.ratio.median) : each.difference ? differenceText(each) : "–",
      verdictText(each) || "–"]), "All metrics of this workload and contender"));
  dialog.showModal();
  close.focus();
  trialsChart?.destroy();
  trialsChart = result.samples.length ? new Chart(canvas, trialsConfig(result)) : null;
}

function trialsConfig(result) {
  const own = contenders.find(({name}) => name === result.contender);
  const base = contenders.find(({name}) => name === baseline);
  const other = base && base !== own ? find(result.workload, baseline, result.metric) : null;
  const sets = [{contender: own, samples: result.samples}, {contender: base, samples: other?.samples},
    {contender: {...own, name: "before"}, samples: findBefore(result)?.samples}].filter(({samples}) => samples?.length);
  return {
    type: "line",
    data: {labels: sets.map(({samples}) => samples).sort((a, b) => b.length - a.length)[0].map((_, block) => block + 1),
      datasets: sets.map(({contender, samples}) =>
      ({...lineStyle(contender), borderDash: contender === own ? [] : [4, 3], data: samples}))},
    options: {
      animation: false, maintainAspectRatio: false, layout: {padding: {right: labelsWidth}},
      scales: {x: {title: {display: true, text: "block"}, grid: {display: false}},
        y: {ticks: {callback: (value) => humanOf(result, value), maxTicksLimit: 5}, grid: {color: css("--line")}}},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: () => "", label: (item) =>
        `${label(item.dataset.label)}: ${humanOf(result, item.raw)}`}}},
    },
    plugins: [endLabels],
  };
}

addTop();
addSummary();
if (isComparison) addComparison();
addSpeed();
addCards();
addAccuracy();
addMatrix();
addLatency();
addThreads();
addScaling();
addCauses();
addTrust();
addUncertain();
addMachine();
addNavigation();
addTheme();
