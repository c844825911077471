// SPDX-License-Identifier: Apache-2.0
// Items of kind "tree": the root on the left, a row an endpoint. Each link carries two meters: how much of its rate is
// used towards the root (up) and away from it (down).

const treeSizes = {row: 52, denseRow: 44, compactRow: 46, box: 36, meterHeight: 8, percent: 50, margin: 12};
const wideLinks = {stub: 18, meter: 58, words: 32, up: "up", down: "down"};
const narrowLinks = {stub: 12, meter: 36, words: 12, up: "↑", down: "↓"};     // for small screens and paper

function shortened(text, size, weight, room) {
    if (textWidth(text, size, weight) <= room) {
        return text;
    }
    let keep = text.length;
    while (keep > 1 && textWidth(`${text.slice(0, keep)}…`, size, weight) > room) {
        keep -= 1;
    }
    return `${text.slice(0, keep)}…`;
}

function loadClass(load) {
    return load >= 0.5 ? "busy" : "low";
}

// Apart from the colours of the loads.
function kindColour(palette, index) {
    return palette.kinds[index % palette.kinds.length];
}

function loadWords(load) {
    return load < 0 || load === null ? "unknown" : formatPercent(load);
}

// Every node with its place: depth, y, parent; depth first.
function treePlaces(root) {
    const places = [];
    let leaves = 0;
    const visit = (node, depth, parent) => {
        const place = {node, depth, parent, y: 0, children: []};
        places.push(place);
        for (const child of node.children) {
            place.children.push(visit(child, depth + 1, place));
        }
        place.y = place.children.length === 0 ? leaves++ : (place.children[0].y + place.children.at(-1).y) / 2;
        return place;
    };
    visit(root, 0, null);
    return {places, leaves};
}

// Columns as wide as their content.
function treeColumns(places, links) {
    const columns = [];
    for (const {node, depth} of places) {
        const column = columns[depth] ||= {box: 64, link: 0};
        const words = Math.max(textWidth(node.name, 13, 600), textWidth(node.about || node.kind, 11));
        column.box = Math.max(column.box, Math.min(words, 210) + 24);
        column.link = Math.max(column.link, Math.min(textWidth(node.link, 11), 150));
    }
    let x = treeSizes.margin;
    for (const [depth, column] of columns.entries()) {
        if (depth > 0) {
            column.trunk = x + links.stub;
            column.words = column.trunk + 10;
            column.meter = column.words + (column.link > 0 ? column.link + 12 : 0) + links.words;
            x = column.meter + links.meter + treeSizes.percent + 8;
        }
        column.x = x;
        x += column.box;
    }
    return {columns, width: x + treeSizes.margin};
}

function textAt(x, y, text, palette, more) {
    return svgElement("text", {x, y, "font-family": fontFamily, "font-size": 11, fill: palette.muted,
        "dominant-baseline": "central", ...more}, text);
}

function meterOf(column, y, word, load, palette, width, limit) {
    const known = load !== null && load >= 0;
    const {meterHeight: height} = treeSizes;
    const bold = limit || (known && load >= 0.95);
    return [
        textAt(column.meter - 5, y, word, palette, {"text-anchor": "end"}),
        svgElement("rect", {x: column.meter, y: y - height / 2, width, height, rx: 2, fill: palette.faint,
            stroke: palette.line, "stroke-width": 1, "stroke-dasharray": known ? null : "3 2"}),
        known && load > 0 ? svgElement("rect", {x: column.meter, y: y - height / 2, rx: 2, height, class: "load",
            width: Math.max(2, Math.min(1, load) * width), fill: palette.load[limit ? "limit" : loadClass(load)]}) : null,
        textAt(column.meter + width + 5, y, known ? formatPercent(load) : "–", palette,
            {fill: bold ? palette.text : palette.muted, "font-weight": bold ? 700 : 400}),
    ];
}

// The links that the headline names as the limit, which need not be the busiest.
function limitsOf(node) {
    return [node.up_limit ? "up" : "", node.down_limit ? "down" : ""].filter(Boolean).join(" ");
}

function linkOf(place, column, y, palette, links) {
    const {node} = place;
    const most = Math.max(node.up_load ?? -1, node.down_load ?? -1);
    const limits = limitsOf(node);
    const group = svgElement("g", {class: "link", "data-limit": limits ? limits : null},
        svgElement("rect", {x: column.trunk, y: y - 20, width: column.x - column.trunk, height: 40, fill: "transparent"}),
        svgElement("line", {x1: column.trunk, y1: y, x2: column.x, y2: y, "stroke-width": limits ? 2.5 : 1.5,
            stroke: most < 0 ? palette.line : palette.load[limits ? "limit" : loadClass(most)], "stroke-dasharray": most < 0 ? "4 3" : null}),
        node.link ? textAt(column.words, y - 9, shortened(node.link, 11, 400, 150), palette) : null,
        meterOf(column, y - 9, links.up, node.up_load, palette, links.meter, node.up_limit),
        meterOf(column, y + 9, links.down, node.down_load, palette, links.meter, node.down_limit));
    tooltip.over(group, [`${node.name} – ${place.parent.node.name}`, node.link,
        `up (to ${place.parent.node.name}): ${loadWords(node.up_load)}`, node.up_note,
        `down (to ${node.name}): ${loadWords(node.down_load)}`, node.down_note]);
    return group;
}

function nodeOf(place, column, y, palette, kinds) {
    const {node} = place;
    const {box: height} = treeSizes;
    const room = column.box - 20;
    const about = node.about || node.kind;
    const group = svgElement("g", {class: "node"},
        svgElement("rect", {x: column.x, y: y - height / 2, width: column.box, height, rx: 4, fill: palette.box,
            stroke: palette.line}),
        svgElement("rect", {x: column.x, y: y - height / 2, width: 4, height, rx: 2,
            fill: kindColour(palette, kinds.indexOf(node.kind))}),
        textAt(column.x + 13, y - (about ? 7 : 0), shortened(node.name, 13, 600, room), palette,
            {"font-size": 13, "font-weight": 600, fill: palette.text}),
        about ? textAt(column.x + 13, y + 9, shortened(about, 11, 400, room), palette) : null);
    tooltip.over(group, [node.name, node.kind, node.about]);
    return group;
}

// As many lines as it needs in that room.
function treeLegend(palette, kinds, named, room) {
    const parts = [];
    let x = treeSizes.margin;
    let y = 14;
    let width = 0;
    const wrap = (length) => {
        if (x > treeSizes.margin && x + length > room) {
            x = treeSizes.margin;
            y += 20;
        }
    };
    const entry = (colour, text) => {
        wrap(20 + textWidth(text, 12));
        parts.push(svgElement("rect", {x, y: y - 5, width: 14, height: 10, rx: 2, fill: colour}),
            textAt(x + 20, y, text, palette, {"font-size": 12, fill: palette.text}));
        x += 20 + textWidth(text, 12) + 20;
        width = Math.max(width, x);
    };
    const heading = (text) => {
        wrap(textWidth(text, 12) + 80);
        parts.push(textAt(x, y, text, palette, {"font-size": 12}));
        x += textWidth(text, 12) + 10;
    };
    heading("Load of a link:");
    entry(palette.load.low, "below 50 %");
    entry(palette.load.busy, "50 % and more");
    entry(palette.load.limit, named ? "named as the limit" : "named as the limit: none");
    if (kinds.some(Boolean)) {
        x += 16;
        heading("Node:");
    }
    for (const [k, kind] of kinds.entries()) {
        if (kind) {
            entry(kindColour(palette, k), kind);
        }
    }
    return {parts, width, bottom: y};
}

function treeSvg(item, palette, links) {
    const {places, leaves} = treePlaces(item.root);
    const {columns, width: treeWidth} = treeColumns(places, links);
    const kinds = [...new Set(places.map(({node}) => node.kind))];
    const row = leaves > 20 ? treeSizes.denseRow : links === narrowLinks ? treeSizes.compactRow : treeSizes.row;
    const legend = treeLegend(palette, kinds, places.some(({node}) => limitsOf(node)), links === narrowLinks ? treeWidth : Infinity);
    const top = legend.bottom + 30;
    const width = Math.ceil(Math.max(treeWidth, legend.width));
    const height = top + leaves * row + 4;
    const yOf = (place) => top + (place.y + 0.5) * row;

    const trunks = places.filter((p) => p.children.length > 0).flatMap((p) => {
        const {trunk} = columns[p.depth + 1];
        const start = columns[p.depth].x + columns[p.depth].box;
        const ys = [yOf(p), ...p.children.map(yOf)];
        return [svgElement("path", {fill: "none", stroke: palette.muted, "stroke-width": 1.5,
            d: `M${start} ${yOf(p)}H${trunk}M${trunk} ${Math.min(...ys)}V${Math.max(...ys)}`})];
    });
    return svgElement("svg", {xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height},
        legend.parts, trunks,
        places.filter((p) => p.parent).map((p) => linkOf(p, columns[p.depth], yOf(p), palette, links)),
        places.map((p) => nodeOf(p, columns[p.depth], yOf(p), palette, kinds)));
}

function treeItem(item) {
    const {places} = treePlaces(item.root);
    const draw = (canvas, palette, width) => {
        const svg = treeSvg(item, palette, width < 900 ? narrowLinks : wideLinks);
        const natural = Number(svg.getAttribute("width"));
        // Shrinks to the page as far as it can be read; beyond that the canvas scrolls. Paper does not scroll.
        const scale = Math.min(1, Math.max(width / natural, theme.printing ? 0 : 0.78));
        svg.setAttribute("width", Math.floor(natural * scale));
        svg.setAttribute("height", Math.ceil(Number(svg.getAttribute("height")) * scale));
        canvas.replaceChildren(svg);
    };
    const svg = () => {
        const palette = palettes.light;
        const copy = treeSvg(item, palette, wideLinks);
        copy.prepend(svgElement("rect", {width: "100%", height: "100%", fill: palette.ground}));
        return new XMLSerializer().serializeToString(copy);
    };
    const share = (load) => (load === null || load < 0 ? null : load * 100);
    return drawnFigure(item, {
        draw, svg, class: "tree",
        columns: [["node", ""], ["parent", ""], ["kind", ""], ["about", ""], ["link", ""], ["up", "%"], ["down", "%"],
            ["up note", ""], ["down note", ""]].map(([name, unit]) => ({name, unit})),
        rows: () => places.map(({node, parent}) => [node.name, parent ? parent.node.name : "", node.kind, node.about, node.link,
            parent ? share(node.up_load) : null, parent ? share(node.down_load) : null, node.up_note, node.down_note]),
        label: `Tree: ${item.title}. ${places.length} nodes. ` + places.filter((p) => limitsOf(p.node)).map((p) =>
            `${p.node.name} limits: up ${loadWords(p.node.up_load)}, down ${loadWords(p.node.down_load)}.`).join(" "),
    });
}
