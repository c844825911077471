// SPDX-License-Identifier: Apache-2.0
// Collects the errors of the page, for tests and users: window.contraflowErrors, and the same as attributes of the
// document element, where a saved copy of the document shows them.
window.contraflowErrors = [];
window.contraflowReady = false;

window.contraflowError = (text) => {
    window.contraflowErrors.push(String(text));
    document.documentElement.dataset.errors = JSON.stringify(window.contraflowErrors);
};

document.documentElement.dataset.errors = "[]";
document.documentElement.dataset.ready = "false";
window.addEventListener("error", (event) => window.contraflowError(event.message));
window.addEventListener("unhandledrejection", (event) => window.contraflowError(event.reason));
document.addEventListener("securitypolicyviolation", (event) =>
    window.contraflowError(`blocked by the security policy: ${event.violatedDirective} ${event.blockedURI}`));

{
    const consoleError = console.error;
    console.error = (...what) => {
        window.contraflowError(what.map(String).join(" "));
        consoleError.apply(console, what);
    };
}
