# Compiles and packs SWIG's Java classes and ours, in a script because their names are known only after SWIG ran.
file(GLOB sources ${SOURCES}/*.java ${HELPERS}/*.java)
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})
execute_process(COMMAND ${JAVAC} -nowarn -Xlint:none -d ${OUT} ${sources} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${JAR_TOOL} cf ${JAR} -C ${OUT} . COMMAND_ERROR_IS_FATAL ANY)
