#!/bin/bash
# Stands for a program under test.
echo "I am the program"
