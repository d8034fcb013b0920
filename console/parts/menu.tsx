import type { ComponentChildren } from 'preact';

interface MenuProps {
  /** Its name for a screen reader. */
  readonly label: string;
  /** Links and buttons. */
  readonly children: ComponentChildren;
}

/** The rare actions of a row, behind three dots. It closes with its action, with Escape, and when the focus moves on. */
export const Menu = ({ label, children }: MenuProps) => (
  <details
    class="menu"
    name="menu"
    onClick={({ currentTarget, target }) => {
      if (target instanceof Element && target.closest('a, button') !== null) currentTarget.open = false;
    }}
    onFocusOut={({ currentTarget, relatedTarget }) => {
      // A press beside it moves the focus to the view.
      if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
    }}
    onKeyDown={({ currentTarget, key }) => {
      if (key !== 'Escape') return;
      currentTarget.open = false;
      currentTarget.querySelector('summary')?.focus();
    }}
  >
    <summary class="button icon-button" aria-label={label} title="More">
      <span aria-hidden="true">…</span>
    </summary>
    <div class="menu-items">{children}</div>
  </details>
);
