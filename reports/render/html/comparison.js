const comparison = {show: "all"};
const mostRows = 60;
const severity = ["slower", "faster", "inconclusive", "equivalent"];

function comparedResults() {
  const distance = (each) => (each.ratio ? Math.abs(Math.log(each.ratio.median)) : 0);
  return results
    .filter((each) => each.verdict && (isOfReports || primaryMetricOf(each.workload).includes(each.metric)))
    .filter((each) => (each.ratio ? each.ratio.median > 0 : each.difference))
    .sort((a, b) => severity.indexOf(a.verdict) - severity.indexOf(b.verdict) || distance(b) - distance(a));
}

// Returns [size, interval], for example ["2.2 % slower", "1.6 to 2.8 %"], as the gate prints them.
function changeParts({ratio, metric}) {
  const isWorse = ratio.median < 1, turn = (value) => (isWorse ? 1 / value : value);
  const [low, high] = isWorse ? [ratio.high, ratio.low] : [ratio.low, ratio.high];
  const has = low !== null && high !== null;
  const range = (text, unit) => (has ? `${text(turn(low))} to ${text(turn(high))} ${unit}` : "");
  const adjectives = {true: ["slower", "faster", "slow", "fast"], false: ["worse", "better", "bad", "good"]};
  const [worse, better, bad, good] = adjectives[isTimeMetric(metric)];
  const factor = turn(ratio.median);
  if (factor >= 2) return [`${quotient(factor)} times as ${isWorse ? bad : good}`, range(quotient, "times")];
  const pct = (value) => (100 * (value - 1)).toFixed(1).replace(/^-(0\.0)$/, "$1");
  return [`${pct(factor)} % ${isWorse ? worse : better}`, range(pct, "%")];
}

function changeText(result) {
  const [size, range] = changeParts(result);
  return size + (range && ` (${range})`);
}

// Returns for example "new is 2.2 % slower than old on BM_sort (1.6 to 2.8 %)."
function changeSentence(result, isOfMetric) {
  const [size, range] = changeParts(result);
  const where = result.workload.slice(0, 80) + (isOfMetric ? `, ${titleOf(result.metric)}` : "");
  const than = size.includes("times as") ? "as" : "than";
  const names = [result.contender, result.ratio.to].map((name) => label(name, 60));
  return `${names[0]} is ${size} ${than} ${names[1]} on ${where}${range && ` (${range})`}.`;
}

function rowText(result, isShort = false) {
  if (!result.ratio) return differenceText(result);
  const seen =
    !isDecided(result) ? (isShort ? "? " : "undecided: ") : result.verdict === "equivalent" ? "= " : "";
  return seen + changeText(result);
}

function countText(count, one, more = `${one}s`) {
  return `${count} ${count === 1 ? one : more}`;
}

function comparisonAnswer() {
  const all = comparedResults();
  if (!all.length) return "These reports have no result in common that can be compared.";
  const of = (verdict) => all.filter((each) => each.verdict === verdict);
  const [slower, faster, undecided] = ["slower", "faster", "inconclusive"].map(of);
  const worst = slower.find(({ratio}) => ratio) || faster.find(({ratio}) => ratio);
  const rest = [
    [slower, "slower"],
    [faster, "faster"],
    [undecided, "undecided"],
    [of("equivalent"), "equivalent"],
  ]
    .filter(([those]) => those.length)
    .map(([those, word]) => `${those.length} ${word}`)
    .join(", ");
  const total = `Of ${countText(all.length, "result")}: ${rest}.`;
  if (report.gate) return `${report.gate.verdict} ${total}`;
  if (!worst) return `No significant difference. ${total}${detectableText(undecided)}`;
  return `${changeSentence(worst, metricsVary(all))} ${total}`;
}

function detectableText(undecided) {
  const seen = undecided
    .map(({detectable}) => detectable)
    .filter((each) => each !== null)
    .sort((a, b) => a - b);
  if (!seen.length) return "";
  const most = percent(seen.at(-1));
  const range = percent(seen[0]) === most ? most : `${percent(seen[0])} to ${most}`;
  return ` Smallest detectable difference: ${range}.`;
}

function metricsVary(all) {
  return new Set(all.map(({metric}) => metric)).size > 1;
}

function comparisonFindings() {
  const isLost = (each) => each.status === "unsupported" || (each.verdict && each.median === null);
  const lost = results.filter((each) => isLost(each) && typeof findBefore(each)?.median === "number");
  const found = lost.length
    ? [
        {
          about: "failed",
          title: "Lost",
          results: lost,
          text: `${countText(lost.length, "result")} had a value before and cannot be compared now.`,
        },
      ]
    : [];
  const compared = isOfReports ? results.filter((each) => each.verdict && each.ratio?.median > 0) : comparedResults();
  const than = isOfReports ? "before" : baseline;
  for (const [verdict, title] of [
    ["slower", `Slower than ${than}`],
    ["faster", `Faster than ${than}`],
    ["equivalent", `Equivalent to ${than}`],
    ["inconclusive", "Undecided"],
  ]) {
    const those = compared.filter((each) => each.verdict === verdict);
    if (those.length)
      found.push({
        about: verdict,
        title: label(title, 80),
        results: those,
        text: `${those.length} of ${compared.length}.`,
        more: verdictsButton(verdict, `Show these results: ${verdict === "inconclusive" ? "undecided" : verdict}`),
      });
  }
  return found;
}

function comparisonRows() {
  const all = comparedResults();
  return comparison.show === "all"
    ? all
    : all.filter(({verdict}) =>
        comparison.show === "different" ? ["slower", "faster"].includes(verdict) : verdict === comparison.show,
      );
}

function paintComparison(width) {
  const all = comparisonRows(),
    rows = all.slice(0, mostRows);
  if (!rows.length) return drawing(width, 24, "No result", words("No result has such a verdict.", 0, 12));
  const one = new Set(results.map(({workload}) => workload)).size === 1;
  const isOnlyTime = !metricsVary(comparedResults());
  return drawDots(width, {
    title: "Changes",
    ends: ["worse", "better"],
    reach: reachOf(rows.filter(({ratio}) => ratio).map(({ratio}) => ratio)),
    rows: rows.map((result) => ({
      name: isOfReports && one ? result.contender : result.workload,
      detail: [isOfReports && !one ? label(result.contender) : null, isOnlyTime ? null : titleOf(result.metric)]
        .filter(Boolean)
        .join(", "),
      result,
      ratio: result.ratio,
      verdict: result.verdict,
      text: rowText(result, width < narrow),
    })),
  });
}

function comparisonTable() {
  return plainTable(
    [
      "benchmark",
      "contender",
      "metric",
      isOfReports ? "before" : label(baseline),
      isOfReports ? "after" : "value",
      "ratio",
      "interval",
      "verdict",
    ],
    comparisonRows()
      .slice(0, mostRows)
      .map((each) => {
        const old = isOfReports ? findBefore(each) : find(each.workload, baseline, each.metric);
        return [
          nameOf(each.workload),
          nameOf(each.contender),
          titleOf(each.metric),
          old ? humanOf(old) : "–",
          trialsButton(each),
          each.ratio ? quotient(each.ratio.median) : "–",
          each.ratio ? interval(each.ratio, quotient) : differenceText(each),
          verdictText(each),
        ];
      }),
    "Compared results",
  );
}

function addComparison() {
  const place = document.getElementById("speed");
  const all = comparedResults();
  if (!all.length) return place.remove();
  place.replaceChildren(el("h2", {}, "Changes"));
  place.dataset.short = "Changes";
  const options = [
    ["all", "all"],
    ["different", "▲▼ differences"],
    ["inconclusive", "○ undecided"],
    ["equivalent", "● equivalent"],
  ].filter(
    ([value]) =>
      value === "all" ||
      all.some(({verdict}) => (value === "different" ? ["slower", "faster"].includes(verdict) : verdict === value)),
  );
  comparison.show = fromAddress(
    "changes",
    "all",
    options.map(([value]) => value),
  );
  const note = () =>
    (comparisonRows().length > mostRows ? `The ${mostRows} most severe of ${comparisonRows().length} results. ` : "") +
    "▼ significantly slower or worse, ▲ significantly faster or better, ○ undecided, ● equivalent; " +
    "the lines are the 95 % intervals. Choose a row to see its trials.";
  const only =
    new Set(results.map(({workload}) => workload)).size === 1 ? ` on ${results[0].workload.slice(0, 80)}` : "";
  const names = isOfReports
    ? `After, compared with before${only}`
    : `${contenders
        .filter(({name}) => name !== baseline)
        .map(({name}) => label(name, 60))
        .join(", ")} compared with ${label(baseline, 60)}`;
  const shown = figure(place, {title: names, note: note(), paint: paintComparison, table: comparisonTable});
  if (options.length > 2)
    shown.element.before(
      el(
        "div",
        {class: "controls"},
        keptSelect("changes", "Show", options, "all", (value) => {
          comparison.show = value;
          shown.redraw({note: note()});
        }),
      ),
    );
}
