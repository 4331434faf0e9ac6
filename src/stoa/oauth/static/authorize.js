"use strict";
(() => {
  const box = document.getElementById("in-browser");
  const subtle = window.crypto && window.crypto.subtle;
  if (!box || !subtle) return;
  const part = (id) => document.getElementById(id);
  const { code, client, next, service } = box.dataset;
  const save = part("save-key");
  const approve = part("approve-here");
  let key = null;

  const hex = (bytes) => Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
  const fromHex = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
  const base64url = (bytes) =>
    btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  const fromBase64url = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));

  /** Tell what happened, or what went wrong. */
  const say = (text) => { part("said").textContent = text; };

  const attempt = (work) => async () => {
    try {
      await work();
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  };

  const post = async (path, body, token) => {
    const headers = { "Content-Type": "application/json" };
    if (token) headers.Authorization = `Bearer ${token}`;
    const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const value = await answer.json();
    if (!answer.ok) throw new Error(`${value.error} ${value.recovery}`);
    return value;
  };

  /** A new key, offered as the file that `stoa agent` reads. */
  const make = async () => {
    const pair = await subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const jwk = await subtle.exportKey("jwk", pair.privateKey);
    const publicKey = hex(fromBase64url(jwk.x));
    const name = part("agent-name").value.trim();
    const file = { format: "stoa-agent-key", version: 1, url: service, publicKey,
      seed: hex(fromBase64url(jwk.d)), ...(name ? { displayName: name } : {}) };
    key = { publicKey, name, signing: pair.privateKey };
    const text = `${JSON.stringify(file, null, 2)}\n`;
    save.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    save.hidden = false;
    approve.disabled = true;
    say("The key is made. Save its file: without it the agent is lost with this page.");
    save.focus();
  };

  /** The key of a file that was saved before. Until it is read there is no key. */
  const open = async () => {
    key = null;
    save.hidden = approve.disabled = true;
    const file = JSON.parse(await part("key-file").files[0].text());
    if (file.format !== "stoa-agent-key") throw new Error("This is not the key file of an agent.");
    if (file.url !== service) throw new Error("This key file is for another service.");
    const jwk = { kty: "OKP", crv: "Ed25519", d: base64url(fromHex(file.seed)),
      x: base64url(fromHex(file.publicKey)) };
    const signing = await subtle.importKey("jwk", jwk, "Ed25519", false, ["sign"]);
    key = { publicKey: file.publicKey, name: "", signing };
    ready("The key file is read. You can let the program in now.");
  };

  const ready = (text) => {
    approve.disabled = false;
    say(text);
  };

  /** Let the program in, once at a time. What went wrong can be tried again. */
  const letIn = async () => {
    approve.disabled = true;
    say("Signing in.");
    try {
      // The page of another browser at this address has no confirmation, so it cannot go on.
      location.assign(`${next}?confirmation=${await approveWith(key)}`);
    } catch (error) {
      approve.disabled = false;
      throw error;
    }
  };

  /** Sign in with the key, approve the program, and end the session; gives the confirmation. */
  const approveWith = async (key) => {
    const { challenge } = await post("/api/v1/auth/challenge", { publicKey: key.publicKey });
    const signed = await subtle.sign("Ed25519", key.signing, new TextEncoder().encode(challenge));
    const signature = hex(new Uint8Array(signed));
    const profile = key.name ? { displayName: key.name } : {};
    const { token } = await post("/api/v1/auth/verify",
      { publicKey: key.publicKey, challenge, signature, ...profile });
    try {
      const approved = await post(`/api/v1/auth/approvals/${code}`, { clientId: client }, token);
      return approved.confirmation;
    } finally {
      // A session that cannot be ended now ends by itself: nobody but this page has its token.
      await post("/api/v1/auth/revoke", {}, token).catch(() => {});
    }
  };

  part("make-key").addEventListener("click", attempt(make));
  save.addEventListener("click", () => ready("Keep the file. You can let the program in now."));
  part("key-file").addEventListener("change", attempt(open));
  approve.addEventListener("click", attempt(letIn));
  box.hidden = false;
})();
