// The address of the page contains the reader's choices: #section&name=value&name=value. A copied link therefore shows
// the page with the same choices.

const address = {section: "", choices: new URLSearchParams()};

function readAddress() {
  const [section, ...choices] = location.hash.slice(1).split("&");
  address.section = section.includes("=") ? "" : section;
  address.choices = new URLSearchParams((section.includes("=") ? [section, ...choices] : choices).join("&"));
}

function writeAddress() {
  const parts = [address.section, address.choices.toString()].filter(Boolean);
  history.replaceState(null, "", `#${parts.join("&")}`);
}

function fromAddress(name, usual, allowed) {
  const value = address.choices.get(name);
  return value !== null && (!allowed || allowed.includes(value)) ? value : usual;
}

function toAddress(name, value, usual) {
  address.choices.delete(name);
  for (const each of [value].flat()) if (each !== usual) address.choices.append(name, each);
  writeAddress();
}

function keptSelect(name, label, options, usual, onchange) {
  return selectOf(
    label,
    options,
    fromAddress(
      name,
      usual,
      options.map(([value]) => value),
    ),
    (value) => {
      toAddress(name, value, usual);
      onchange(value);
    },
  );
}

function keptBox(name, label, usual, onchange) {
  const [on, off] = ["on", "off"];
  const box = el("input", {
    type: "checkbox",
    onchange: () => {
      toAddress(name, box.checked ? on : off, usual ? on : off);
      onchange(box.checked);
    },
  });
  box.checked = fromAddress(name, usual ? on : off, [on, off]) === on;
  return el("label", {class: "choice box"}, box, ` ${label}`);
}

function isBoxed(name, usual) {
  return fromAddress(name, usual ? "on" : "off", ["on", "off"]) === "on";
}

function addNavigation() {
  const go = (id) => document.getElementById(id)?.scrollIntoView();
  const sections = [...document.querySelectorAll("main > section")].filter((each) => each.querySelector("h2"));
  document.querySelector("nav").replaceChildren(
    ...sections.map((section) =>
      el(
        "a",
        {
          href: `#${section.id}`,
          onclick: (event) => {
            event.preventDefault();
            address.section = section.id;
            writeAddress();
            go(section.id);
          },
        },
        section.dataset.short || section.querySelector("h2").textContent,
      ),
    ),
  );
  if (sections.some(({id}) => id === address.section)) go(address.section);
  addEventListener("hashchange", () => {
    const before = address.choices.toString();
    readAddress();
    if (address.choices.toString() !== before) location.reload();
    else go(address.section);
  });
}

readAddress();
