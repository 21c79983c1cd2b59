const families = [
  {id: "flagship", title: "hand-written loop on epoll and io_uring"},
  {id: "design", title: "hand-written loop, simpler designs"},
  {id: "asio", title: "Boost.Asio"},
  {id: "other", title: "others"},
  {id: "floor", title: "floors: no loop"},
];

function familyOf(contender) {
  if (contender.context?.role === "floor") return "floor";
  if (contender.library?.startsWith("Boost.Asio")) return "asio";  // also Boost.Asio on a loop of this project
  if (contender.library !== "loopbench") return "other";
  return ["epoll", "io_uring"].includes(contender.context?.driver) ? "flagship" : "design";
}

// The shapes and patterns for colour-blind readers and for prints without colours.
const markers = {flagship: "circle", design: "triangle", asio: "rect", other: "rectRot", floor: "crossRot"};
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [4, 2, 1, 2], [1, 3]];

// Returns the contenders sorted by family, with the baseline first in its family. `described` can lack contenders;
// their family is `other`.
function byFamily(names, described, baseline) {
  const known = new Map(described.map((each) => [each.name, each]));
  const hidden = address.choices.getAll("hide");
  const all = names.map((name) => ({name, family: familyOf(known.get(name) || {}), shown: !hidden.includes(name)}));
  const ordered = families.flatMap(({id}) => all.filter((each) => each.family === id)
    .sort((a, b) => (b.name === baseline) - (a.name === baseline)));
  for (const {id} of families)
    ordered.filter((each) => each.family === id).forEach((each, place) => {
      each.marker = markers[id];
      each.dash = id === "floor" ? [3, 3] : dashes[place % dashes.length];
    });
  return ordered;
}

function shownContenders() {
  return contenders.filter((each) => each.shown);
}

function contenderChoice(title, redraw) {
  const boxes = families.map((family) => {
    const members = contenders.filter((each) => each.family === family.id);
    if (!members.length) return null;
    return el("fieldset", {class: family.id}, el("legend", {}, family.title), members.map((each) => {
      const box = el("input", {type: "checkbox", onchange: () => {
        each.shown = box.checked;
        toAddress("hide", contenders.filter(({shown}) => !shown).map(({name}) => name));
        redraw();
      }});
      box.checked = each.shown;
      return el("label", {}, box, nameOf(each.name));
    }));
  });
  return el("details", {class: "contenders"}, el("summary", {}, title),
    el("div", {}, boxes));
}

function legend() {
  const present = families.filter(({id}) => contenders.some((each) => each.family === id));
  return el("p", {class: "legend"}, present.map(({id, title}) => el("span", {class: id}, swatch(id), title)));
}
