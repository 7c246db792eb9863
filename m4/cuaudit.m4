# SPDX-License-Identifier: Apache-2.0
# Configure checks that Autoconf itself does not bring.

# CUAUDIT_FLAGS(VARIABLE, FLAGS, USER, MACRO)
# Appends to VARIABLE each of FLAGS with which MACRO, AC_COMPILE_IFELSE or AC_LINK_IFELSE, has nothing
# to say behind the user's own flags, the variable USER.
AC_DEFUN([CUAUDIT_FLAGS], [
m4_foreach_w([flag_], [$2], [
AS_VAR_PUSHDEF([cached_], [cuaudit_cv_$3_]m4_dquote(m4_defn([flag_])))dnl
AC_CACHE_CHECK([whether $CC takes flag_], [cached_], [
	saved_flags=$$3
	saved_CFLAGS=$CFLAGS
	$3="$$3 flag_"
	CFLAGS="$CFLAGS -Werror"
	$4([AC_LANG_PROGRAM()],
		[AS_VAR_SET([cached_], [yes])], [AS_VAR_SET([cached_], [no])])
	$3=$saved_flags
	CFLAGS=$saved_CFLAGS])
AS_VAR_IF([cached_], [yes], [AS_VAR_APPEND([$1], [" flag_"])])
AS_VAR_POPDEF([cached_])])
AC_SUBST([$1])])

# CUAUDIT_CC_FLAGS(VARIABLE, FLAGS), CUAUDIT_LD_FLAGS(VARIABLE, FLAGS)
# Those of FLAGS that the C compiler takes without a word, and the linker.
AC_DEFUN([CUAUDIT_CC_FLAGS], [CUAUDIT_FLAGS([$1], [$2], [CFLAGS], [AC_COMPILE_IFELSE])])
AC_DEFUN([CUAUDIT_LD_FLAGS], [CUAUDIT_FLAGS([$1], [$2], [LDFLAGS], [AC_LINK_IFELSE])])

# CUAUDIT_FORTIFY(VARIABLE)
# The highest level of _FORTIFY_SOURCE that the C library has with the user's CFLAGS: none without
# optimization.
AC_DEFUN([CUAUDIT_FORTIFY], [
AC_CACHE_CHECK([for the level of _FORTIFY_SOURCE], [cuaudit_cv_fortify], [
	saved_CFLAGS=$CFLAGS
	cuaudit_cv_fortify=none
	for level_ in 3 2; do
		CFLAGS="$saved_CFLAGS -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$level_"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([@%:@include <string.h>
			char to@<:@8@:>@;], [
#if !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL != _FORTIFY_SOURCE
# error "the library does not have this level"
#endif
			strcpy(to, "text");])],
			[cuaudit_cv_fortify=$level_; break])
	done
	CFLAGS=$saved_CFLAGS])
AS_VAR_IF([cuaudit_cv_fortify], [none], [],
	[$1="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$cuaudit_cv_fortify"])
AC_SUBST([$1])])

# CUAUDIT_LOADER(VARIABLE, NAME)
# The path of the dynamic loader NAME, as a file the linker can be given.
AC_DEFUN([CUAUDIT_LOADER], [
AC_CACHE_CHECK([for the dynamic loader $2], [cuaudit_cv_loader], [
	cuaudit_cv_loader=no
	for file_ in "`$CC -print-file-name=$2`" "/lib64/$2" "/lib/$2"; do
		AS_CASE([$file_], [/*],
			[AS_IF([test -f "$file_"],
				[cuaudit_cv_loader=$file_; break])])
	done])
AS_VAR_IF([cuaudit_cv_loader], [no],
	[AC_MSG_ERROR([cannot find $2; is this glibc?])])
$1=$cuaudit_cv_loader
AC_SUBST([$1])])

# CUAUDIT_CUDA
# --with-cuda: sets CUDA_HOME, empty if there is no toolkit, and the conditional CUDA.
AC_DEFUN([CUAUDIT_CUDA], [
AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR],
	[CUDA toolkit whose headers the tests compare the table with
	(default: look in the usual places)])],
	[], [with_cuda=check])
AC_MSG_CHECKING([for the headers of the CUDA toolkit])
found_=
AS_CASE([$with_cuda],
	[no], [places_=],
	[yes|check], [places_="$CUDA_HOME $CUDA_PATH /usr/local/cuda /opt/cuda"],
	[places_=$with_cuda])
for place_ in $places_; do
	AS_IF([test -f "$place_/include/cuda.h"], [found_=$place_; break])
done
AS_IF([test "x$found_" = x], [
	AC_MSG_RESULT([no])
	AS_CASE([$with_cuda], [no|check], [],
		[AC_MSG_ERROR([--with-cuda=$with_cuda: no include/cuda.h in: $places_])])
], [AC_MSG_RESULT([$found_])])
AC_SUBST([CUDA_HOME], [$found_])
AM_CONDITIONAL([CUDA], [test "x$found_" != x])])

# CUAUDIT_LIBRARY(NAME, [MODULE], [LIBRARY], FUNCTION, WHAT)
# --without-NAME: sets NAME_CFLAGS, NAME_LIBS and the conditional NAME, and defines HAVE_NAME, all in
# capitals, where a program with FUNCTION links: by what pkg-config says of MODULE, or with -lLIBRARY
# if that has none. The tool is built without WHAT where it does not.
AC_DEFUN([CUAUDIT_LIBRARY], [
AC_REQUIRE([PKG_PROG_PKG_CONFIG])dnl
m4_pushdef([UP_], m4_translit([$1], [a-z+-], [A-ZX_]))dnl
m4_pushdef([with_], m4_translit([with_$1], [+-], [__]))dnl
AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [build the tool without $5])],
	[], [with_=check])
found_=no
AS_VAR_IF([with_], [no], [], [
	m4_ifval([$2], [PKG_CHECK_MODULES(UP_, [$2], [found_=yes], [found_=no])],
		[UP_[]_LIBS=-l$3 found_=yes])
	saved_LIBS=$LIBS
	LIBS="$UP_[]_LIBS $LIBS"
	AS_IF([test $found_ = yes], [AC_CHECK_FUNC([$4], [], [found_=no])])
	LIBS=$saved_LIBS])
AS_VAR_IF([found_], [yes], [
	AC_DEFINE([HAVE_]UP_, [1], [Define if the tool has $5.])
], [
	UP_[]_LIBS=
	AS_VAR_IF([with_], [yes], [AC_MSG_ERROR([--with-$1: it is not here, or does not link])])])
AC_SUBST(UP_[]_LIBS)
AM_CONDITIONAL(UP_, [test $found_ = yes])
with_=$found_
m4_popdef([with_])m4_popdef([UP_])])
