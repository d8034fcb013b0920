import type { Finding } from '../../contract/operation/host-checks.ts';

const columns = { state: 7, check: 13 } as const;

/** One line for people. */
export const findingLine = ({ check, state, detail, remedy }: Finding): string =>
  `${state.padEnd(columns.state)}${check.padEnd(columns.check)}${detail}${remedy === null ? '' : `; ${remedy}`}`;
