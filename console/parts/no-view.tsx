import { Notice } from './notice.tsx';

/** The page of an address that names no view. */
export const NoView = () => (
  <div class="page">
    <h1 class="sr">No view</h1>
    <Notice kind="empty" title="There is no such view">
      The address names none. Choose one above.
    </Notice>
  </div>
);
