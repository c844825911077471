// SPDX-License-Identifier: Apache-2.0
// Elements from names, attributes and children. Text of the report only ever enters as text, never as markup.

function addTo(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name.startsWith("on")) {
            node.addEventListener(name.slice(2), value);
        } else if (value !== null && value !== undefined && value !== false) {
            node.setAttribute(name, value === true ? "" : value);
        }
    }
    for (const child of children.flat(Infinity)) {
        if (child !== null && child !== undefined) {
            node.append(child);
        }
    }
    return node;
}

function element(name, attributes, ...children) {
    return addTo(document.createElement(name), attributes, children);
}

function svgElement(name, attributes, ...children) {
    return addTo(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function button(text, title, onclick) {
    return element("button", {type: "button", title, onclick}, text);
}

const takenIds = new Set();

// An id for an anchor: made from the wanted text, and different from all earlier ids.
function uniqueId(wanted) {
    const stem = String(wanted || "item").replace(/[^\w-]+/g, "-") || "item";
    let id = stem;
    for (let n = 2; takenIds.has(id) || document.getElementById(id); n++) {
        id = `${stem}-${n}`;
    }
    takenIds.add(id);
    return id;
}

function save(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], {type}));
    element("a", {href: url, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// One tooltip for figures that are not ECharts': follows the pointer over `target` and shows `lines`.
const tooltip = {
    box: null,
    over(target, lines) {
        target.addEventListener("pointermove", (event) => this.show(event, lines));
        target.addEventListener("pointerleave", () => this.hide());
    },
    show(event, lines) {
        if (!this.box) {
            this.box = element("div", {class: "tooltip", role: "tooltip"});
            document.body.append(this.box);
        }
        this.box.replaceChildren(...lines.filter(Boolean).map((line, i) => element(i === 0 ? "strong" : "div", {}, line)));
        this.box.style.display = "block";
        const {width, height} = this.box.getBoundingClientRect();
        const x = Math.min(event.clientX + 14, window.innerWidth - width - 8);
        const y = event.clientY + 16 + height > window.innerHeight ? event.clientY - height - 10 : event.clientY + 16;
        this.box.style.transform = `translate(${Math.max(8, x)}px, ${y}px)`;
    },
    hide() {
        if (this.box) {
            this.box.style.display = "none";
        }
    },
};
