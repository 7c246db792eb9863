# SPDX-License-Identifier: Apache-2.0
# Calls of random prototypes, for layouts.c. Variables: seed, count.
BEGIN {
	srand(seed)
	for (n = 0; n < count; n++) {
		words = nparams = 0
		base = 1000 + 100 * n	# no value twice
		types = values = codes = want = ""
		while (words < 15 && nparams < 12) {
			kind = int(5 * rand())
			size = kind == 0 ? 2 : kind == 1 ? 3 + int(6 * rand()) : 1
			if (words + size > 15)
				break
			comma = nparams++ ? ", " : ""
			if (kind == 2) {
				codes = codes comma "LAYOUT_FLOAT | 1"
				types = types comma "double"
				values = values comma base + words ".5"
				want = want comma "REAL(" base + words ".5)"
				words++
				continue
			}
			codes = codes comma (size > 2 ? "LAYOUT_MEMORY | " : "") size
			types = types comma (size > 1 ? "struct words" size : "long")
			inner = ""
			for (i = 0; i < size; i++)
				inner = inner (i ? ", " : "") base + words + i
			want = want comma inner
			values = values comma (size > 1 ? "(struct words" size "){ { " inner " } }" : inner)
			words += size
		}
		printf "CASE(%d, LIST(%s), LIST(%s), LIST(%s), LIST(%s))\n", n, types, values, codes, want
	}
}
