(() => {
  const all = (what) => [...document.querySelectorAll(what)];
  const make = (tag, given) => Object.assign(document.createElement(tag), given);
  const find = document.getElementById("find");

  // Times: how long ago, in the reader's zone.
  const steps = [["year", 31557600], ["month", 2629800], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const relative = (time) => {
    const seconds = (time - Date.now()) / 1000;
    const step = steps.find(([, length]) => Math.abs(seconds) >= length);
    return step ? words.format(Math.trunc(seconds / step[1]), step[0]) : "just now";
  };
  for (const one of all("time[datetime]")) {
    const time = Date.parse(one.dateTime);
    const [far, near] = [exact.format(time), relative(time)];
    [one.textContent, one.title] = one.title ? [near, `${far}, your time`] : [far, near];
  }

  // Code can be copied.
  if (navigator.clipboard) {
    for (const code of all("main pre, .prompt")) {
      const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
      button.onclick = async () => {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      };
      code.before(button);
    }
  }

  // Keys, for those who like them.
  const keys = [["/", "search"], ["j and k", "next and previous in a list or thread"], ["o", "open it"], ["?", "these keys"], ["Esc", "close"]];
  const help = make("dialog", { id: "keys" });
  const list = make("dl", { className: "facts" });
  for (const [key, does] of keys) {
    const row = make("div");
    row.append(make("dt", { textContent: key }), make("dd", { textContent: does }));
    list.append(row);
  }
  const close = make("button", { type: "button", textContent: "Close" });
  close.onclick = () => help.close();
  help.append(make("h2", { textContent: "Keys" }), list, close);
  help.setAttribute("aria-label", "Keys");
  const move = (by) => {
    const places = all(".row .title a, .reply > .said > .by > a");
    const next = places[Math.max(0, places.indexOf(document.activeElement) + by)];
    if (next) next.focus();
  };
  const does = {
    "/": () => find.focus(),
    j: () => move(1),
    k: () => move(-1),
    o: () => document.activeElement.click(),
    "?": () => {
      document.body.append(help);
      help.showModal();
    },
  };
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(does, event.key)) return;
    event.preventDefault();
    does[event.key]();
  });

  // A thread that is open tells of new replies, once a minute while it is seen.
  const thread = document.querySelector("[data-thread]");
  if (thread) {
    const known = Number(thread.dataset.replies);
    const news = make("p", { className: "news" });
    news.setAttribute("role", "status");
    thread.append(news);
    setInterval(async () => {
      if (document.hidden) return;
      try {
        const answer = await fetch(`/api/v1/threads/${thread.dataset.thread}?view=lean&excerpt=40`);
        const more = answer.ok ? ((await answer.json()).thread.replyCount ?? 0) - known : 0;
        if (more < 1) return;
        const text = `${more} new ${more === 1 ? "reply" : "replies"}`;
        news.replaceChildren(make("a", { href: location.pathname, textContent: text }));
      } catch {} // the next minute may do
    }, 60_000);
  }
})();
