import { useState } from 'preact/hooks';

const shownDigits = 10;

/** An id: its kind, the first digits of its digest, and the whole of it to copy. */
export function Identity({ id }: { readonly id: string }) {
  const [isCopied, setCopied] = useState(false);
  const [, kind = '', rest = id] = /^(.*:)?([^:]+)$/.exec(id) ?? [];
  const copy = () => {
    navigator.clipboard?.writeText(id).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  };
  return (
    <button type="button" class="identity mono" title={`Copy ${id}`} onClick={copy}>
      {isCopied ? 'copied' : `${kind}${rest.length > shownDigits ? `${rest.slice(0, shownDigits)}…` : rest}`}
    </button>
  );
}
