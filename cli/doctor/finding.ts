/** What one check came to. `weak` works, with less than it could; `failed` keeps a host from its work. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'weak' | 'failed';
  readonly detail: string;
  /** What can be done; null where nothing has to be. */
  readonly remedy: string | null;
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail, remedy: null });
export const weak = (check: string, detail: string, remedy: string): Finding => ({
  ...{ check, state: 'weak', detail, remedy },
});
export const failed = (check: string, detail: string, remedy: string): Finding => ({
  ...{ check, state: 'failed', detail, remedy },
});

const columns = { state: 7, check: 13 } as const;

/** One line for people. */
export const findingLine = ({ check, state, detail, remedy }: Finding): string =>
  `${state.padEnd(columns.state)}${check.padEnd(columns.check)}${detail}${remedy === null ? '' : `; ${remedy}`}`;
