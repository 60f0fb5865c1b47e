/** The looks of the page, in light and dark. Nothing in it is loaded from elsewhere. */
export const style = `
:root{color-scheme:light dark;--back:#fbfbfa;--face:#fff;--ink:#1d1d1f;--dim:#6b6b70;--line:#e2e2e0;--soft:#f2f2f0;--accent:#2f6f4f;--you:#eaf2fb;--you-line:#b9d2ec;--bad:#b3261e;--mark:#8a5a00;--mark-back:#fdf4e0;--ins:#e3f5e8;--del:#fbe6e4}
@media (prefers-color-scheme:dark){:root{--back:#141416;--face:#1c1c1f;--ink:#e8e8ea;--dim:#9a9aa2;--line:#313136;--soft:#232327;--accent:#7cc9a0;--you:#1b2838;--you-line:#31485f;--bad:#ff8a80;--mark:#e6b450;--mark-back:#2c2416;--ins:#16301f;--del:#3a1c1a}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
header,main{max-width:58rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem;padding-bottom:1rem}
main{padding-bottom:4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}
h2{display:flex;flex-wrap:wrap;gap:.6rem;align-items:baseline;font-size:.8rem;font-weight:600;margin:0 0 .5rem;color:var(--dim)}
h2 time{font-weight:400}
h3{font-size:1rem;margin:1rem 0 .3rem}
a{color:var(--accent)}
.id{color:var(--dim);font:.72rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;text-decoration:none}
h2 .id{margin-left:auto;opacity:.6}
.about{color:var(--dim);font-size:.85rem;margin:0 0 1.2rem;display:flex;flex-wrap:wrap;gap:.3rem .8rem;align-items:baseline;overflow-wrap:anywhere}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.85em}
code{background:var(--soft);border-radius:.25rem;padding:.1em .3em;overflow-wrap:anywhere}
pre{background:var(--soft);border-radius:.4rem;padding:.7rem .9rem;margin:.5rem 0;overflow:auto;max-height:32rem;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4}
dl{display:flex;flex-wrap:wrap;gap:.6rem;margin:0}
dl div{background:var(--face);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .9rem}
dd{margin:0;font-size:1.1rem;font-weight:600}
dt{color:var(--dim);font-size:.75rem}
article{background:var(--face);border:1px solid var(--line);border-radius:.6rem;padding:.9rem 1.1rem;margin:.9rem 0}
article:target{outline:2px solid var(--accent)}
.you{background:var(--you);border-color:var(--you-line)}
.aside{background:none}
.mark{background:var(--mark-back);border-color:var(--mark);border-style:dashed}
.mark h2{color:var(--mark)}
.hidden{opacity:.55}
.text p{margin:.5rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
.text>:first-child{margin-top:0}
.text>:last-child{margin-bottom:0}
.said{white-space:pre-wrap;overflow-wrap:anywhere}
mark{background:var(--mark-back);color:var(--mark);border-radius:.25rem;padding:0 .35em;font-weight:600}
summary{cursor:pointer;overflow-wrap:anywhere}
summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
details.call{border-left:3px solid var(--accent);padding:.15rem 0 .15rem .7rem;margin:.5rem 0;font-size:.92rem}
details.call.failed{border-color:var(--bad)}
details.call summary span{color:var(--dim)}
details.call.failed summary span,.failure{color:var(--bad)}
details.thinking{color:var(--dim);margin:.5rem 0;font-size:.92rem}
details.branch{border-left:3px dashed var(--line);padding-left:.9rem;margin:.9rem 0}
details.branch>summary,.note,.usage{color:var(--dim);font-size:.82rem}
.note{text-align:center;margin:.8rem 0}
.usage{margin:.6rem 0 0}
.diff ins{background:var(--ins);text-decoration:none}
.diff del{background:var(--del);text-decoration:none}
img{max-width:100%;height:auto;border-radius:.4rem;border:1px solid var(--line);margin:.4rem 0}
@media print{body{background:none}article{break-inside:avoid}pre{max-height:none}}
`;
