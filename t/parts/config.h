/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that build parts of the tree themselves: without what configure finds. */
