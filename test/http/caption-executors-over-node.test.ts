import { captionExecutorsContract } from './caption-executors-contract.ts';

captionExecutorsContract('node');
