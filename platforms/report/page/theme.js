// SPDX-License-Identifier: Apache-2.0
// Colours of the figures, light and dark, told apart with any kind of colour vision (after Okabe and Ito), and which
// of the two is in use. The colours of the page itself are page.css's.

const palettes = {
    light: {
        text: "#1b1f24", muted: "#57606a", line: "#d5dae0", faint: "#eceff2", ground: "#ffffff", raised: "#ffffff",
        box: "#f6f8fa", mark: "#1b1f24",
        series: ["#0072b2", "#d55e00", "#009e73", "#b0568f", "#b58900", "#56b4e9", "#6a4c93", "#7a828c"],
        load: {low: "#4a90c2", busy: "#e0a100", limit: "#c8401a"},
        kinds: ["#57606a", "#6a4c93", "#009e73", "#c26aa5", "#2f4b7c", "#8a9a5b"],
    },
    dark: {
        text: "#e6e9ed", muted: "#9da7b3", line: "#3a424c", faint: "#262c34", ground: "#15191e", raised: "#232930",
        box: "#1d2229", mark: "#f4f6f8",
        series: ["#4ba3e3", "#f0803c", "#35c49a", "#e08cc0", "#e3b341", "#9bd4f5", "#b39ddb", "#a9b1ba"],
        load: {low: "#5aa5d8", busy: "#e8b73a", limit: "#f0693f"},
        kinds: ["#9da7b3", "#b39ddb", "#35c49a", "#e08cc0", "#8fa8e0", "#b5c48a"],
    },
};

// Single quotes: ECharts puts it into an attribute as it is.
const fontFamily = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'DejaVu Sans', sans-serif";
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const themeNames = ["auto", "light", "dark"];

const theme = {
    chosen: "auto",
    printing: false,
    listeners: [],
    name() {
        if (this.printing) {
            return "light";
        }
        return this.chosen === "auto" ? (prefersDark.matches ? "dark" : "light") : this.chosen;
    },
    palette() {
        return palettes[this.name()];
    },
    changed() {
        for (const listener of this.listeners) {
            listener();
        }
    },
    choose(name) {
        this.chosen = name;
        document.documentElement.dataset.theme = name;
        this.changed();
    },
};

const textWidth = (() => {
    const context = document.createElement("canvas").getContext("2d");
    return (text, size, weight = 400) => {
        context.font = `${weight} ${size}px ${fontFamily}`;
        return context.measureText(text).width;
    };
})();

const colourOfName = new Map();

// For things numbered from 1, the number determines the colour, not the order in a figure.
function numberedColour(name) {
    const found = /^GPU (\d+)$/.exec(name);
    return found && Number(found[1]) > 0 ? Number(found[1]) - 1 : undefined;
}

// Names that have the same colour in every page.
const fixedColours = new Map([["full rate", palettes.light.series.length - 1]]);

// Indices of colours for the names in one figure: all different, and the same name has the same colour in every figure.
function colourIndices(names) {
    const taken = new Set(names.filter((name) => fixedColours.has(name)).map((name) => fixedColours.get(name)));
    const indices = names.map((name) => {
        if (fixedColours.has(name)) {
            return fixedColours.get(name);
        }
        const known = numberedColour(name) ?? colourOfName.get(name);
        if (known === undefined || taken.has(known)) {
            return null;
        }
        taken.add(known);
        return known;
    });
    return indices.map((known, i) => {
        if (known !== null) {
            return known;
        }
        let index = 0;
        while (taken.has(index)) {
            index += 1;
        }
        taken.add(index);
        colourOfName.set(names[i], index);
        return index;
    });
}

const hexOf = (parts) => `#${parts.map((p) => Math.round(p).toString(16).padStart(2, "0")).join("")}`;
const partsOf = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

// Beyond the palette's own colours the same ones follow, mixed in turn with the text's colour and with the ground's.
function seriesColour(palette, index) {
    const own = palette.series[index % palette.series.length];
    const round = Math.floor(index / palette.series.length);
    if (round === 0) {
        return own;
    }
    const into = partsOf(round % 2 === 1 ? palette.text : palette.ground);
    const share = 1 - 0.55 ** Math.ceil(round / 2);
    return hexOf(partsOf(own).map((part, i) => part + share * (into[i] - part)));
}

// Black or white, whichever is read better on a colour.
function textOn(colour) {
    const [r, g, b] = partsOf(colour).map((part) => part / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.22 ? "#14171b" : "#ffffff";
}
