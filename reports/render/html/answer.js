function sentence(text) {
  const startsWithName = contenders.some(({name}) => text.startsWith(name));
  const whole = startsWithName ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

function deviationText() {
  const {aa} = report;
  const compared = (aa?.comparisons ?? []).filter(({ratio}) => ratio.median > 0);
  if (!compared.length) return null;
  const distance = ({ratio}) => Math.abs(changeOf(ratio.median));
  const largest = compared.reduce((most, each) => (distance(each) > distance(most) ? each : most));
  const isDifferent = ["faster", "slower"].includes(largest.verdict);
  return (
    `${label(aa.contender)} measured twice differs by at most ${percent(distance(largest))} ` +
    `(${largest.workload.slice(0, 60)})${isDifferent ? "" : ", not significantly"}.`
  );
}

function addTop() {
  const {environment: where, plan} = report;
  const date = where.date.slice(0, 16).replace("T", " ");
  const {word, reasons, blocks} = data.trust;
  document.getElementById("about").textContent = [
    `${date} UTC`,
    where.cpu_model,
    `${where.cores} cores`,
    where.kernel,
    plan && `${blocks < plan.blocks ? `${blocks} of ` : ""}${plan.blocks} blocks, ${plan.size} size`,
    isOfReports ? "after, compared with before" : null,
    report.complete ? null : "incomplete",
  ]
    .filter(Boolean)
    .join(" · ")
    .slice(0, 400);
  const badge = document.getElementById("reliability");
  badge.textContent = word.charAt(0).toUpperCase() + word.slice(1);
  badge.className = word;
  // The reasons of an unreliable session are not repeated here, because the first sentence of the page already gives
  // them.
  const missing = word === "unreliable" ? [] : reasons.map(sentence);
  document
    .getElementById("confidence")
    .replaceChildren(
      ...withOptions([`${countText(blocks, "block")}.`, deviationText(), ...missing].filter(Boolean).join(" ")),
    );
}

function sentenceItem({about, title, text}, from, ...more) {
  const sources = el(
    "details",
    {},
    el("summary", {}, `from ${from.length} ${from.length === 1 ? "number" : "numbers"}`),
  );
  sources.addEventListener(
    "toggle",
    () =>
      sources.open &&
      sources.replaceChildren(
        sources.firstChild,
        el(
          "ul",
          {},
          from.map((result) =>
            el(
              "li",
              {},
              trialsButton(result),
              " ",
              nameOf(result.contender),
              ` ${titleOf(result.metric)} on `,
              nameOf(result.workload),
            ),
          ),
        ),
      ),
  );
  return el(
    "li",
    {class: about},
    el("strong", {}, `${title}: `),
    el("span", {class: "name"}, text),
    from.length ? sources : null,
    more,
  );
}

function verdictsButton(verdict, text) {
  return el(
    "button",
    {
      type: "button",
      onclick: () => {
        setVerdicts(verdict);
        document.getElementById("cells").scrollIntoView();
      },
    },
    text,
  );
}

function answer(text) {
  document.getElementById("answer").replaceChildren(el("span", {class: "name"}, text));
}

function isProblem({about}) {
  return ["caution", "failed"].includes(about);
}

function addFindings(found) {
  for (const [id, those] of [
    ["problems", found.filter(isProblem)],
    ["summary", found.filter((each) => !isProblem(each))],
  ]) {
    const place = document.getElementById(id);
    place.append(...those.map((each) => sentenceItem(each, each.results, each.more)));
    if (!those.length) (id === "summary" ? document.getElementById("findings") : place).remove();
  }
}

function addUnreliable(found) {
  answer(
    `Ignore the differences in this report. ${sentence(report.aa.reason || "the baseline differs from its own copy")}`,
  );
  addFindings(isComparison ? [...found.filter(isProblem), ...comparisonFindings()] : found);
}

function addSummary() {
  // Leaves out a caution that contains the reason of the A/A comparison, because the texts beside the badge already
  // give this reason.
  const isSaid = ({about, text}) => about === "caution" && report.aa?.reason && text.includes(report.aa.reason);
  const found = data.summary
    .filter((each) => !isSaid(each))
    .map((each) => ({...each, results: each.from.map((place) => results[place])}));
  if (data.trust.word === "unreliable") return addUnreliable(found);
  if (isComparison) {
    addFindings([...found.filter((each) => isProblem(each) || each.about === "loops"), ...comparisonFindings()]);
    return answer(comparisonAnswer());
  }
  const first = found.find(({about}) => about === "cost") || found.find((each) => !isProblem(each));
  answer(first ? sentence(first.text) : "This report has no comparison of speed.");
  const undecided = found.find(({about, from}) => about === "undecided" && from.length);
  if (undecided)
    undecided.more = verdictsButton("inconclusive", `Show the undecided results against ${label(baseline)}`);
  addFindings(found);
}
